internal import LocomotionRecordings
@_spi(Server) internal import LocomotionTool

// What `locomotion/_native.py` calls, beside the functions of `locomotion.h`.

/// A function of the caller's that takes a result: its name, its bytes and their number.
///
/// The memory is valid during the call only.
public typealias Receiver =
  @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer?, Int64) -> Void

/// Gives results to the caller.
@safe
struct Results {
  private let receiver: Receiver

  init(_ receiver: Receiver) {
    unsafe self.receiver = receiver
  }

  func give(_ name: String, _ text: String) {
    give(name, Array(text.utf8))
  }

  func give(_ name: String, _ values: [some BitwiseCopyable]) {
    unsafe values.withUnsafeBytes { bytes in
      unsafe receiver(name, bytes.baseAddress, Int64(bytes.count))
    }
  }

  /// Gives the address of an object as "object", which `locomotion_python_close` frees.
  func give(_ object: AnyObject) {
    unsafe give("object", [UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())])
  }
}

private func string(_ pointer: UnsafePointer<CChar>?) -> String {
  unsafe pointer.map { unsafe String(cString: $0) } ?? ""
}

/// Arrays of the caller's by name, whose memory is valid during the call only.
@safe
struct NamedArrays {
  private var parts: [String: UnsafeRawBufferPointer]

  /// The arrays of a parcel: the addresses of each one's name and values, and their bytes.
  fileprivate init(_ count: Int64, _ parcel: UnsafePointer<Int>?) {
    unsafe parts = [:]
    let words = unsafe Array(
      UnsafeBufferPointer(start: parcel, count: parcel == nil ? 0 : 3 * Int(count)))
    for row in stride(from: 0, to: words.count, by: 3) {
      unsafe parts[string(UnsafePointer(bitPattern: words[row]))] = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(bitPattern: words[row + 1]), count: words[row + 2])
    }
  }

  /// The elements of an array; none when it is missing.
  func values<Element: BitwiseCopyable>(_ name: String) -> [Element] {
    guard let bytes = unsafe parts[name] else { return [] }
    let size = MemoryLayout<Element>.stride
    let count = bytes.count / size
    // A copy, since the caller's memory need not be aligned.
    return unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(count * size)])
      unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: source)
      initialized = count
    }
  }

  /// The text in UTF-8; empty when it is missing.
  func text(_ name: String) -> String { String(decoding: values(name) as [UInt8], as: UTF8.self) }

  func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }

  /// The number of 64 bits; 0 when it is missing.
  func number(_ name: String) -> Int64 { (values(name) as [Int64]).first ?? 0 }

  /// The object whose address was given to the caller.
  func object<Object: AnyObject>(_ name: String) throws(UsageError) -> Object {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: Int(number(name))) else {
      throw UsageError("expected the object '\(name)'")
    }
    return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
  }
}

/// Does what `name` says with arguments, and gives the results to the caller's function.
///
/// - Parameters:
///   - name: A case of the functions below.
///   - count: The number of arguments.
///   - parcel: For each the addresses of its name and of its values, and their bytes.
///   - receiver: The function.
/// - Returns: 0, or the exit status with which the command ends at the same error; its text is then
///   a result of the name "error".
@c(locomotion_python_call)
public func call(
  _ name: UnsafePointer<CChar>?, _ count: Int64, _ parcel: UnsafePointer<Int>?,
  _ receiver: Receiver?
) -> Int32 {
  guard let receiver = unsafe receiver else { return ExitStatus.usage.rawValue }
  let (name, arguments) = unsafe (string(name), NamedArrays(count, parcel))
  let results = unsafe Results(receiver)
  do {
    guard
      try handleRecordings(name, arguments, results) || handleWindows(name, arguments, results)
        || handleStreams(name, arguments, results)
    else { throw UsageError("the library has no function '\(name)'") }
    return ExitStatus.success.rawValue
  } catch {
    let failure = CommandFailure(error)
    results.give("error", failure.message)
    return failure.exitStatus.rawValue
  }
}

/// Recordings and their whole analyses; false for another name.
///
/// The arrays of a recording have the names of ``RecordingReading``. A model is that in a file of
/// these bytes, the built-in one without any.
private func handleRecordings(
  _ name: String, _ arguments: NamedArrays, _ results: Results
) throws -> Bool {
  switch name {
  case "read": try RecordingReading(results: results).read(arguments.text("path"))
  case "write": try PlainRecording(arguments).write(to: arguments.text("path"))
  case "start": try StreamedAnalysis.giveStart(of: arguments.text("path"), to: results)
  case "analyze":
    // The options are those of `locomotion analyze` about units, times and towns.
    let model = try ClassifierFile.model(of: arguments.values("model"))
    let recording = arguments.number("is_plain") != 0 ? PlainRecording(arguments) : nil
    let jobs = arguments.number("jobs")
    results.give(
      try WholeAnalysis(
        of: arguments.text("path"), recording, model: model, jobs: jobs > 0 ? Int(jobs) : nil,
        locale: Command.locale(of: arguments.lines("options"))))
  case "result":
    // Several threads may use it.
    let analysis: WholeAnalysis = try arguments.object("analysis")
    try analysis.give(arguments.text("name"), to: results)
  default: return false
  }
  return true
}

/// Windows, their features, and classifiers of them; false for another name.
private func handleWindows(
  _ name: String, _ arguments: NamedArrays, _ results: Results
) throws -> Bool {
  let isAltered = arguments.number("is_altered") != 0
  let seed = UInt64(bitPattern: arguments.number("seed"))
  switch name {
  case "grid":
    PlainRecording.giveGrid(arguments.values("times"), arguments.values("xyz"), to: results)
  case "features":
    WindowTables.giveFeatures(
      of: arguments.values("xyz"), length: Int(arguments.number("length")), to: results)
  case "feature_names": WindowTables.giveNames(to: results)
  case "windows":
    try WindowTables.giveWindows(
      of: arguments.lines("folders"), custom: arguments.text("custom"), isAltered: isAltered,
      seed: seed, to: results)
  case "labelled_recordings":
    try WindowTables.giveRecordings(of: arguments.text("folder"), to: results)
  case "recording_windows":
    try WindowTables.giveWindows(
      ofRecordings: arguments.lines("recordings"), in: arguments.text("folder"),
      isAltered: isAltered, seed: seed, to: results)
  case "fit":
    let table = TrainingTable(
      features: arguments.values("features"), classes: arguments.values("classes"),
      weights: arguments.values("weights"), groups: arguments.values("groups"),
      settings: arguments.values("settings"), custom: arguments.text("custom"))
    try table.giveClassifier(to: results)
  case "probabilities":
    try ClassifierFile.giveProbabilities(
      by: arguments.values("classifier"), arguments.values("features"),
      width: Int(arguments.number("width")), to: results)
  case "model": try ClassifierFile.giveModel(of: arguments.values("classifier"), to: results)
  case "classifier": try ClassifierFile.giveClassifier(of: arguments.values("model"), to: results)
  default: return false
  }
  return true
}

/// Streamed analyses, which one thread may use at a time; false for another name.
///
/// After "stream_finish", or an error of "stream_read", one can only be freed.
private func handleStreams(
  _ name: String, _ arguments: NamedArrays, _ results: Results
) throws -> Bool {
  guard name != "stream_open" else {
    results.give(StreamedAnalysis())
    return true
  }
  guard name.hasPrefix("stream_") else { return false }
  let analysis: StreamedAnalysis = try arguments.object("analysis")
  switch name {
  case "stream_append": analysis.append(PlainRecording(arguments).batch, results: results)
  case "stream_read": try analysis.read(arguments.text("path"), results: results)
  case "stream_finish": analysis.finish(results: results)
  default: return false
  }
  return true
}

/// Frees an object that was given as "object".
@c(locomotion_python_close)
public func close(_ object: UnsafeMutableRawPointer) {
  unsafe Unmanaged<AnyObject>.fromOpaque(object).release()
}

/// Runs a command line of `count` words, the first of which is the program's name; returns the exit
/// status.
@c(locomotion_python_command)
public func runCommand(
  _ count: Int32, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  unsafe LocomotionCommand.locomotion.main(count, arguments)
}
