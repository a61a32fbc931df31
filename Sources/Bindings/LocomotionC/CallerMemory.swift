// The memory of callers: checked, and used during a call only.

private let largestCount: Int64 = 1 << 28
private let largestStride: Int64 = 1 << 16

func span<Element>(
  _ pointer: UnsafePointer<Element>?, count: Int64
) throws(Failure) -> UnsafeBufferPointer<Element> {
  guard 0...largestCount ~= count, let count = Int(exactly: count) else { throw .argument }
  guard count > 0 else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
  guard let pointer = unsafe pointer else { throw .null }
  try unsafe requireAlignment(UnsafeRawPointer(pointer), of: Element.self)
  return unsafe UnsafeBufferPointer(start: pointer, count: count)
}

/// `count` elements at `pointer`, `stride` places apart.
func span<Element>(
  _ pointer: UnsafePointer<Element>?, count: Int64, stride: Int64
) throws(Failure) -> UnsafeBufferPointer<Element> {
  guard 1...largestStride ~= stride, 0...largestCount ~= count else { throw .argument }
  let places = count == 0 ? 0 : (count - 1) * stride + 1
  guard let places = Int(exactly: places) else { throw .argument }
  let first = try unsafe span(pointer, count: min(count, 1))
  return unsafe UnsafeBufferPointer(start: first.baseAddress, count: places)
}

/// Throws where a pointer is not aligned for its elements.
func requireAlignment<Element>(
  _ pointer: UnsafeRawPointer, of type: Element.Type
) throws(Failure) {
  let address = UInt(bitPattern: pointer)
  guard address % UInt(MemoryLayout<Element>.alignment) == 0 else { throw .alignment }
}

/// Stores elements in a buffer that is known to be large enough.
func store<Element, Plain>(
  _ elements: some Collection<Element>, in buffer: UnsafeMutablePointer<Plain>?,
  _ plain: (Element) -> Plain
) {
  guard let buffer = unsafe buffer else { return }
  for (place, element) in elements.enumerated() {
    unsafe (buffer + place).initialize(to: plain(element))
  }
}

/// Checks a buffer for results and where their number goes.
func check<Plain>(
  _ buffer: UnsafeMutablePointer<Plain>?, _ capacity: Int64,
  _ count: UnsafeMutablePointer<Int64>?
) throws(Failure) -> UnsafeMutablePointer<Int64> {
  guard capacity >= 0 else { throw .argument }
  guard let count = unsafe count else { throw .null }
  try unsafe requireAlignment(UnsafeRawPointer(count), of: Int64.self)
  if let buffer = unsafe buffer {
    try unsafe requireAlignment(UnsafeRawPointer(buffer), of: Plain.self)
  } else if capacity > 0 {
    throw .null
  }
  return unsafe count
}

/// Stores how many elements there are; throws where they are more than a buffer has room for.
func store(
  count: Int, in place: UnsafeMutablePointer<Int64>, atMost capacity: Int64
) throws(Failure) {
  unsafe place.pointee = Int64(count)
  guard count <= capacity else { throw .capacity }
}
