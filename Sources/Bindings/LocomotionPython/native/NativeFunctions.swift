internal import LocomotionRecordings
@_spi(Server) internal import LocomotionTool

// The functions that `locomotion/_native.py` calls, beside those of `locomotion.h`. All but that of
// the command, at the end, get the memory of their caller as arrays, and give their results to a
// function of the caller's.
//
// They return 0, or the exit status with which the command ends at the same error; its text is then
// a result of the name "error".

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

/// Runs `body`; an error becomes a result and a status.
private func answering(_ receiver: Receiver?, _ body: (Results) throws -> Void) -> Int32 {
  guard let receiver = unsafe receiver else { return ExitStatus.usage.rawValue }
  let results = unsafe Results(receiver)
  do {
    try body(results)
    return ExitStatus.success.rawValue
  } catch {
    let failure = CommandFailure(error)
    results.give("error", failure.message)
    return failure.exitStatus.rawValue
  }
}

/// `count` values of the caller's.
private func array<Element: BitwiseCopyable>(
  _ pointer: UnsafePointer<Element>?, _ count: Int64
) -> [Element] {
  unsafe Array(UnsafeBufferPointer(start: pointer, count: pointer == nil ? 0 : Int(count)))
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
    let words = unsafe array(parcel, 3 * count)
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
}

/// Reads the recordings at `path`; see ``RecordingReading``.
@c(locomotion_python_read)
public func read(_ path: UnsafePointer<CChar>?, _ receiver: Receiver?) -> Int32 {
  let path = unsafe string(path)
  return unsafe answering(receiver) { try RecordingReading(results: $0).read(path) }
}

/// Writes a recording of `count` arrays to the file `path`, tidy CSV; see ``PlainRecording``.
@c(locomotion_python_write)
public func write(
  _ path: UnsafePointer<CChar>?, _ count: Int64, _ parcel: UnsafePointer<Int>?,
  _ receiver: Receiver?
) -> Int32 {
  let (path, arrays) = unsafe (string(path), NamedArrays(count, parcel))
  return unsafe answering(receiver) { _ in try PlainRecording(arrays).write(to: path) }
}

/// Frees an object that was given as "object".
@c(locomotion_python_close)
public func close(_ object: UnsafeMutableRawPointer) {
  unsafe Unmanaged<AnyObject>.fromOpaque(object).release()
}

/// An object that was given to the caller.
private func object<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer) -> Object {
  unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
}

// MARK: Whole analyses

/// Analyzes the recording at `path`, or arrays of that name, and gives a ``WholeAnalysis``.
///
/// A recording is analyzed by `jobs` threads, one per core where that is 0. The `count` arrays of a
/// `parcel` that is not null are a ``PlainRecording``. The model is that in a file of `size` bytes,
/// the built-in one where that is 0. `options` are those of `locomotion analyze` about units, times
/// and towns, one word per line.
@c(locomotion_python_analyze)
public func analyze(
  _ path: UnsafePointer<CChar>?, _ jobs: Int64, _ options: UnsafePointer<CChar>?,
  _ model: UnsafePointer<UInt8>?, _ size: Int64, _ count: Int64, _ parcel: UnsafePointer<Int>?,
  _ receiver: Receiver?
) -> Int32 {
  let (path, model) = unsafe (string(path), array(model, size))
  let options = unsafe string(options).split(separator: "\n").map(String.init)
  let arrays = unsafe parcel.map { unsafe NamedArrays(count, $0) }
  return unsafe answering(receiver) {
    let model = try ClassifierFile.model(of: model)
    let recording = arrays.map(PlainRecording.init)
    let locale = try Command.locale(of: options)
    $0.give(
      try WholeAnalysis(
        of: path, recording, model: model, jobs: jobs > 0 ? Int(jobs) : nil, locale: locale))
  }
}

/// The result `name` of a ``WholeAnalysis``, which several threads may use.
@c(locomotion_python_result)
public func result(
  _ analysis: UnsafeMutableRawPointer, _ name: UnsafePointer<CChar>?, _ receiver: Receiver?
) -> Int32 {
  let (analysis, name): (WholeAnalysis, String) = unsafe (object(analysis), string(name))
  return unsafe answering(receiver) { try analysis.give(name, to: $0) }
}

// MARK: Features and classifiers

/// The accelerations on the device's 100 Hz grid, in stretches without gaps.
@c(locomotion_python_grid)
public func grid(
  _ count: Int64, _ times: UnsafePointer<Int64>?, _ xyz: UnsafePointer<Float>?,
  _ receiver: Receiver?
) -> Int32 {
  let (times, xyz) = unsafe (array(times, count), array(xyz, 3 * count))
  return unsafe answering(receiver) { PlainRecording.giveGrid(times, xyz, to: $0) }
}

/// The features of `count` windows of `length` samples each, three values per sample.
@c(locomotion_python_features)
public func features(
  _ count: Int64, _ length: Int64, _ xyz: UnsafePointer<Float>?, _ receiver: Receiver?
) -> Int32 {
  let samples = unsafe array(xyz, 3 * count * length)
  return unsafe answering(receiver) {
    WindowTables.giveFeatures(of: samples, length: Int(length), to: $0)
  }
}

/// The names and definitions of the features, a line each.
@c(locomotion_python_feature_names)
public func featureNames(_ receiver: Receiver?) -> Int32 {
  unsafe answering(receiver) { WindowTables.giveNames(to: $0) }
}

/// The labelled windows of the data sets at `folders`, one path per line, with custom classes; see
/// ``CustomClasses``.
@c(locomotion_python_windows)
public func windows(
  _ folders: UnsafePointer<CChar>?, _ custom: UnsafePointer<CChar>?, _ isAltered: Int32,
  _ seed: UInt64, _ receiver: Receiver?
) -> Int32 {
  let folders = unsafe string(folders).split(separator: "\n").map(String.init)
  let custom = unsafe string(custom)
  return unsafe answering(receiver) {
    try WindowTables.giveWindows(
      of: folders, custom: custom, isAltered: isAltered != 0, seed: seed, to: $0)
  }
}

/// The recordings of the data set at `folder` with labels of activities.
@c(locomotion_python_labelled_recordings)
public func labelledRecordings(_ folder: UnsafePointer<CChar>?, _ receiver: Receiver?) -> Int32 {
  let folder = unsafe string(folder)
  return unsafe answering(receiver) { try WindowTables.giveRecordings(of: folder, to: $0) }
}

/// The labelled windows of some recordings of the data set at `folder`, one name per line.
@c(locomotion_python_recording_windows)
public func recordingWindows(
  _ folder: UnsafePointer<CChar>?, _ recordings: UnsafePointer<CChar>?, _ isAltered: Int32,
  _ seed: UInt64, _ receiver: Receiver?
) -> Int32 {
  let folder = unsafe string(folder)
  let names = unsafe string(recordings).split(separator: "\n").map(String.init)
  return unsafe answering(receiver) {
    try WindowTables.giveWindows(
      ofRecordings: names, in: folder, isAltered: isAltered != 0, seed: seed, to: $0)
  }
}

/// Trains a classifier on `count` rows of `width` features.
///
/// `groups` are numbers of people, null when all rows are of one. `settings` are three: the
/// exponents `subject` and `classes` of `WindowBalance`, and the ridge. `custom` are
/// ``CustomClasses``.
@c(locomotion_python_fit)
public func fit(
  _ count: Int64, _ width: Int64, _ features: UnsafePointer<Float>?,
  _ classes: UnsafePointer<Int32>?, _ weights: UnsafePointer<Double>?,
  _ groups: UnsafePointer<Int32>?, _ settings: UnsafePointer<Double>?,
  _ custom: UnsafePointer<CChar>?, _ receiver: Receiver?
) -> Int32 {
  let table = unsafe TrainingTable(
    features: array(features, count * width), classes: array(classes, count),
    weights: array(weights, count), groups: array(groups, groups == nil ? 0 : count),
    settings: array(settings, 3), custom: string(custom))
  return unsafe answering(receiver) { try table.giveClassifier(to: $0) }
}

/// The probabilities of `count` rows of features by the classifier of `size` bytes of JSON.
@c(locomotion_python_probabilities)
public func probabilities(
  _ classifier: UnsafePointer<UInt8>?, _ size: Int64, _ count: Int64, _ width: Int64,
  _ features: UnsafePointer<Float>?, _ receiver: Receiver?
) -> Int32 {
  let (bytes, features) = unsafe (array(classifier, size), array(features, count * width))
  return unsafe answering(receiver) {
    try ClassifierFile.giveProbabilities(by: bytes, features, width: Int(width), to: $0)
  }
}

/// A classifier, as JSON, as a model file for the phone.
@c(locomotion_python_model)
public func model(
  _ classifier: UnsafePointer<UInt8>?, _ size: Int64, _ receiver: Receiver?
) -> Int32 {
  let bytes = unsafe array(classifier, size)
  return unsafe answering(receiver) { try ClassifierFile.giveModel(of: bytes, to: $0) }
}

/// A model file as a classifier, as JSON; the built-in model when `size` is 0.
@c(locomotion_python_classifier)
public func classifier(
  _ model: UnsafePointer<UInt8>?, _ size: Int64, _ receiver: Receiver?
) -> Int32 {
  let bytes = unsafe array(model, size)
  return unsafe answering(receiver) { try ClassifierFile.giveClassifier(of: bytes, to: $0) }
}

// MARK: Streamed analyses

/// Starts a streamed analysis, which one thread may use at a time; gives a ``StreamedAnalysis``.
@c(locomotion_python_stream_open)
public func openStream(_ receiver: Receiver?) -> Int32 {
  unsafe answering(receiver) { $0.give(StreamedAnalysis()) }
}

/// Takes in measurements of `count` arrays; see ``PlainRecording``.
@c(locomotion_python_stream_append)
public func appendToStream(
  _ pointer: UnsafeMutableRawPointer, _ count: Int64, _ parcel: UnsafePointer<Int>?,
  _ receiver: Receiver?
) -> Int32 {
  let analysis: StreamedAnalysis = unsafe object(pointer)
  let arrays = unsafe NamedArrays(count, parcel)
  return unsafe answering(receiver) { analysis.append(PlainRecording(arrays).batch, results: $0) }
}

/// Takes in the recording at `path`, in any form; after an error the analysis can only be freed.
@c(locomotion_python_stream_read)
public func readIntoStream(
  _ pointer: UnsafeMutableRawPointer, _ path: UnsafePointer<CChar>?, _ receiver: Receiver?
) -> Int32 {
  let (analysis, path): (StreamedAnalysis, String) = unsafe (object(pointer), string(path))
  return unsafe answering(receiver) { try analysis.read(path, results: $0) }
}

/// Ends a streamed analysis, which can only be freed from then on.
@c(locomotion_python_stream_finish)
public func finishStream(_ pointer: UnsafeMutableRawPointer, _ receiver: Receiver?) -> Int32 {
  let analysis: StreamedAnalysis = unsafe object(pointer)
  return unsafe answering(receiver) { analysis.finish(results: $0) }
}

/// When the recording at `path` begins; see ``StreamedAnalysis/giveStart(of:to:)``.
@c(locomotion_python_start)
public func start(_ path: UnsafePointer<CChar>?, _ receiver: Receiver?) -> Int32 {
  let path = unsafe string(path)
  return unsafe answering(receiver) { try StreamedAnalysis.giveStart(of: path, to: $0) }
}

/// Runs a command line of `count` words, the first of which is the program's name; returns the exit
/// status.
@c(locomotion_python_command)
public func runCommand(
  _ count: Int32, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  unsafe LocomotionCommand.locomotion.main(count, arguments)
}
