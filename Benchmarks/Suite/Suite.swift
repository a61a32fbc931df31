@main struct Suite { static func main() {} }
