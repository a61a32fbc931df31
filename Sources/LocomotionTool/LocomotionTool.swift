@main struct LocomotionTool { static func main() {} }
