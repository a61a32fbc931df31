@main struct DemoRecording { static func main() {} }
