public import CLocomotion
internal import Locomotion

// The functions of `locomotion.h`, where they are documented. Each checks its arguments, gets the
// session of the handle for itself, and does what it does by a method of `Session`.
//
// A pointer is used during its call only, for as many elements as its caller states.

private let noError: Int32 = 0

/// Runs `body` with the session of a handle, which nobody else uses meanwhile.
package func withSession(
  _ handle: locomotion_pipeline, _ body: (Session) throws(Failure) -> Void
) -> Int32 {
  var error = noError
  guard let object = unsafe locomotion_handle_acquire(handle, &error) else { return error }
  defer { locomotion_handle_release(handle) }
  let session = unsafe Unmanaged<Session>.fromOpaque(object).takeUnretainedValue()
  do throws(Failure) {
    try body(session)
    return noError
  } catch {
    return error.rawValue
  }
}

private func model(_ bytes: UnsafePointer<UInt8>?, _ size: Int64) throws(Failure) -> ActivityModel {
  let file = try unsafe span(bytes, count: size)
  guard file.count > 0 else { return .default }
  do throws(ModelFileError) {
    return try unsafe ActivityModel(file: Array(file))
  } catch {
    throw Failure(error)
  }
}

private func add(_ session: Session) throws(Failure) -> locomotion_pipeline {
  let object = unsafe Unmanaged.passRetained(session)
  let handle = unsafe locomotion_handle_add(object.toOpaque())
  guard handle != 0 else {
    unsafe object.release()
    throw .tooMany
  }
  return handle
}

private func code(_ body: () throws(Failure) -> Void) -> Int32 {
  do throws(Failure) {
    try body()
    return noError
  } catch {
    return error.rawValue
  }
}

// MARK: Life

/// Creates a pipeline: see `locomotion.h`.
@c @implementation
public func locomotion_create(
  _ model: UnsafePointer<UInt8>!, _ model_size: Int64, _ options: UInt32,
  _ pipeline: UnsafeMutablePointer<locomotion_pipeline>!
) -> Int32 {
  code { () throws(Failure) in
    guard let pipeline = unsafe pipeline else { throw .null }
    try unsafe requireAlignment(UnsafeRawPointer(pipeline), of: locomotion_pipeline.self)
    guard options <= 1 else { throw .argument }
    let model = try unsafe LocomotionC.model(model, model_size)
    unsafe pipeline.pointee = try add(Session(model: model, keepsRecording: options & 1 != 0))
  }
}

/// Frees a pipeline: see `locomotion.h`.
@c @implementation
public func locomotion_destroy(_ pipeline: locomotion_pipeline) -> Int32 {
  var error = noError
  guard let object = unsafe locomotion_handle_acquire(pipeline, &error) else { return error }
  locomotion_handle_remove(pipeline)
  unsafe Unmanaged<Session>.fromOpaque(object).release()
  return noError
}

/// Makes a pipeline a new one: see `locomotion.h`.
@c @implementation
public func locomotion_reset(_ pipeline: locomotion_pipeline) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let blank = unsafe Unmanaged.passRetained(session.blank)
    unsafe locomotion_handle_replace(pipeline, blank.toOpaque())
    unsafe Unmanaged.passUnretained(session).release()
  }
}

/// Stores the name of a custom activity: see `locomotion.h`.
@c @implementation
public func locomotion_custom_activity(
  _ pipeline: locomotion_pipeline, _ index: Int32, _ name: UnsafeMutablePointer<CChar>!,
  _ behaves_like: UnsafeMutablePointer<Int32>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    guard let name = unsafe name, let behaves_like = unsafe behaves_like else { throw .null }
    try unsafe requireAlignment(UnsafeRawPointer(behaves_like), of: Int32.self)
    guard session.custom.indices.contains(Int(index)) else { throw .argument }
    let activity = session.custom[Int(index)]
    unsafe store(activity.nameBytes + [0], in: name) { CChar(bitPattern: $0) }
    unsafe behaves_like.pointee = activity.behavesLike.map { Int32($0.rawValue) } ?? -1
  }
}

// MARK: Measurements in

private func append(
  _ pipeline: locomotion_pipeline, areRates: Bool, _ count: Int64, _ times: UnsafePointer<Int64>?,
  _ axes: (UnsafePointer<Float>?, UnsafePointer<Float>?, UnsafePointer<Float>?), _ stride: Int64
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    try session.requireUnfinished()
    let times = try unsafe span(times, count: count)
    let x = try unsafe span(axes.0, count: count, stride: stride)
    let y = try unsafe span(axes.1, count: count, stride: stride)
    let z = try unsafe span(axes.2, count: count, stride: stride)
    unsafe times.withMemoryRebound(to: Timestamp.self) { times in
      let (x, y, z, times) = unsafe (x.span, y.span, z.span, times.span)
      if areRates {
        session.batch.rotationRates.append(x: x, y: y, z: z, at: times, stride: Int(stride))
      } else {
        session.batch.accelerations.append(x: x, y: y, z: z, at: times, stride: Int(stride))
      }
    }
  }
}

/// Appends accelerations: see `locomotion.h`.
@c @implementation
public func locomotion_append_accelerations(
  _ pipeline: locomotion_pipeline, _ count: Int64, _ times: UnsafePointer<Int64>!,
  _ x: UnsafePointer<Float>!, _ y: UnsafePointer<Float>!, _ z: UnsafePointer<Float>!,
  _ stride: Int64
) -> Int32 {
  unsafe append(pipeline, areRates: false, count, times, (x, y, z), stride)
}

/// Appends rotation rates: see `locomotion.h`.
@c @implementation
public func locomotion_append_rotation_rates(
  _ pipeline: locomotion_pipeline, _ count: Int64, _ times: UnsafePointer<Int64>!,
  _ x: UnsafePointer<Float>!, _ y: UnsafePointer<Float>!, _ z: UnsafePointer<Float>!,
  _ stride: Int64
) -> Int32 {
  unsafe append(pipeline, areRates: true, count, times, (x, y, z), stride)
}

/// Appends pressures: see `locomotion.h`.
@c @implementation
public func locomotion_append_pressures(
  _ pipeline: locomotion_pipeline, _ count: Int64, _ times: UnsafePointer<Int64>!,
  _ hectopascals: UnsafePointer<Float>!, _ stride: Int64
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    try session.requireUnfinished()
    let times = try unsafe span(times, count: count)
    let values = try unsafe span(hectopascals, count: count, stride: stride)
    unsafe times.withMemoryRebound(to: Timestamp.self) { times in
      unsafe session.batch.pressures.append(values.span, at: times.span, stride: Int(stride))
    }
  }
}

/// Appends fixes: see `locomotion.h`.
@c @implementation
public func locomotion_append_fixes(
  _ pipeline: locomotion_pipeline, _ count: Int64, _ fixes: UnsafePointer<locomotion_fix>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    try session.requireUnfinished()
    let memory = try unsafe span(fixes, count: count)
    let fixes = unsafe memory.span
    for index in fixes.indices { session.batch.append(LocationFix(fixes[index])) }
  }
}

/// Takes in what was appended: see `locomotion.h`.
@c @implementation
public func locomotion_process(_ pipeline: locomotion_pipeline) -> Int32 {
  withSession(pipeline) { session throws(Failure) in try session.process(isLast: false) }
}

/// Ends a recording: see `locomotion.h`.
@c @implementation
public func locomotion_finish(_ pipeline: locomotion_pipeline) -> Int32 {
  withSession(pipeline) { session throws(Failure) in try session.process(isLast: true) }
}

// MARK: Answers out

/// Moves the next samples to the caller: see `locomotion.h`.
@c @implementation
public func locomotion_poll_samples(
  _ pipeline: locomotion_pipeline, _ samples: UnsafeMutablePointer<locomotion_sample>!,
  _ capacity: Int64, _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(samples, capacity, count)
    let next = session.nextSamples(atMost: Int(clamping: capacity))
    let custom = session.custom
    unsafe store(next, in: samples) { locomotion_sample($0, custom) }
    unsafe count.pointee = Int64(next.count)
  }
}

/// Moves the next fixes to the caller: see `locomotion.h`.
@c @implementation
public func locomotion_poll_fixes(
  _ pipeline: locomotion_pipeline, _ fixes: UnsafeMutablePointer<locomotion_fix_report>!,
  _ capacity: Int64, _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(fixes, capacity, count)
    let next = session.nextFixes(atMost: Int(clamping: capacity))
    unsafe store(next, in: fixes) { locomotion_fix_report($0) }
    unsafe count.pointee = Int64(next.count)
  }
}

/// Stores the timeline so far: see `locomotion.h`.
@c @implementation
public func locomotion_timeline(
  _ pipeline: locomotion_pipeline, _ form: Int32,
  _ items: UnsafeMutablePointer<locomotion_timeline_item>!, _ capacity: Int64,
  _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(items, capacity, count)
    guard let form = Form(rawValue: form) else { throw .argument }
    let list = locomotion_timeline_item.list(try session.timeline(form), session.custom)
    try unsafe store(count: list.count, in: count, atMost: capacity)
    unsafe store(list, in: items) { $0 }
  }
}

/// Stores the timeline so far, compared with a map: see `locomotion.h`.
@c @implementation
public func locomotion_timeline_on_map(
  _ pipeline: locomotion_pipeline, _ form: Int32, _ map: UnsafePointer<UInt8>!, _ map_size: Int64,
  _ items: UnsafeMutablePointer<locomotion_timeline_item>!,
  _ network_distances: UnsafeMutablePointer<Double>!, _ capacity: Int64,
  _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(items, capacity, count)
    if let distances = unsafe network_distances {
      try unsafe requireAlignment(UnsafeRawPointer(distances), of: Double.self)
    }
    guard let form = Form(rawValue: form) else { throw .argument }
    let file = try unsafe span(map, count: map_size)
    let timeline = try unsafe session.timeline(form, on: Array(file))
    let list = locomotion_timeline_item.list((timeline.items, timeline.finalEnd), session.custom)
    try unsafe store(count: list.count, in: count, atMost: capacity)
    unsafe store(list, in: items) { $0 }
    unsafe store(list, in: network_distances) {
      $0.type == 2 ? timeline.lengths[Timestamp(nanoseconds: $0.start)] ?? .nan : .nan
    }
  }
}

/// Stores what came in so far: see `locomotion.h`.
@c @implementation
public func locomotion_counts_so_far(
  _ pipeline: locomotion_pipeline, _ counts: UnsafeMutablePointer<locomotion_counts>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    guard let counts = unsafe counts else { throw .null }
    try unsafe requireAlignment(UnsafeRawPointer(counts), of: locomotion_counts.self)
    unsafe counts.pointee = locomotion_counts(session.diagnostics)
  }
}

// MARK: Recordings

/// Stores all samples so far: see `locomotion.h`.
@c @implementation
public func locomotion_recording_samples(
  _ pipeline: locomotion_pipeline, _ form: Int32,
  _ samples: UnsafeMutablePointer<locomotion_sample>!, _ capacity: Int64,
  _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(samples, capacity, count)
    guard let form = Form(rawValue: form) else { throw .argument }
    let kept = try session.keptCounts().samples
    try unsafe store(count: kept, in: count, atMost: capacity)
    let custom = session.custom
    unsafe store(session.samples(form), in: samples) { locomotion_sample($0, custom) }
  }
}

/// Stores all fixes so far: see `locomotion.h`.
@c @implementation
public func locomotion_recording_fixes(
  _ pipeline: locomotion_pipeline, _ form: Int32,
  _ fixes: UnsafeMutablePointer<locomotion_fix_report>!, _ capacity: Int64,
  _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let count = try unsafe check(fixes, capacity, count)
    guard let form = Form(rawValue: form) else { throw .argument }
    let kept = try session.keptCounts().fixes
    try unsafe store(count: kept, in: count, atMost: capacity)
    unsafe store(session.fixes(form), in: fixes) { locomotion_fix_report($0) }
  }
}

// MARK: Save and restore

/// Stores the state: see `locomotion.h`.
@c @implementation
public func locomotion_save(
  _ pipeline: locomotion_pipeline, _ bytes: UnsafeMutablePointer<UInt8>!, _ capacity: Int64,
  _ size: UnsafeMutablePointer<Int64>!
) -> Int32 {
  withSession(pipeline) { session throws(Failure) in
    let size = try unsafe check(bytes, capacity, size)
    let state = try session.savedState()
    try unsafe store(count: state.count, in: size, atMost: capacity)
    unsafe store(state, in: bytes) { $0 }
  }
}

/// Creates a pipeline from a saved state: see `locomotion.h`.
@c @implementation
public func locomotion_restore(
  _ model: UnsafePointer<UInt8>!, _ model_size: Int64, _ bytes: UnsafePointer<UInt8>!,
  _ size: Int64, _ pipeline: UnsafeMutablePointer<locomotion_pipeline>!
) -> Int32 {
  code { () throws(Failure) in
    guard let pipeline = unsafe pipeline else { throw .null }
    try unsafe requireAlignment(UnsafeRawPointer(pipeline), of: locomotion_pipeline.self)
    let state = try unsafe span(bytes, count: size)
    let model = try unsafe LocomotionC.model(model, model_size)
    let session = Session(model: model, keepsRecording: false)
    try unsafe session.restore(Array(state))
    unsafe pipeline.pointee = try add(session)
  }
}
