// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What Swift adds to Apple's C library, in outline: macros and variadic functions that it cannot
// import. For type checks only; nothing of this is ever run.
@_exported public import CDarwin

public var errno: Int32 {
  get { unsafe __error().pointee }
  set { unsafe __error().pointee = newValue }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
  unsafe locomotion_stub_open(path, flags, 0)
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe locomotion_stub_open(path, flags, mode)
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFBLK: mode_t { 0o060000 }

public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { unsafe unsafeBitCast(1, to: sig_t.self) }

public var STDOUT_FILENO: Int32 { 1 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }

public struct winsize {
  public var ws_row: UInt16 = 0
  public var ws_col: UInt16 = 0
  public init() {}
}

@unsafe public func ioctl(
  _ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer
) -> Int32 {
  -1
}
