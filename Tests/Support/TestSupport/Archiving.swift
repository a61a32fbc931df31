package import LocomotionSensing

/// The bytes of a state in a ``StateArchive``.
package func archived(_ state: some StateArchivable) -> [UInt8] {
  var state = state
  var archive = StateArchive.writing()
  archive.pass(&state)
  return archive.bytes
}

/// CRC-32 as in zip, bit by bit.
package func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
  ~bytes.reduce(.max) { register, byte in
    (0..<8).reduce(register ^ UInt32(byte)) { bits, _ in
      bits & 1 == 1 ? bits >> 1 ^ 0xEDB8_8320 : bits >> 1
    }
  }
}

/// Bytes that aren't the archive of a state.
package struct DamagedArchive: Error {}

/// `fresh` with the state that was archived as `bytes`; throws when they are damaged.
package func restored<State: StateArchivable>(
  _ fresh: State, from bytes: [UInt8]
) throws(DamagedArchive) -> State {
  var state = fresh
  var archive = StateArchive.reading(bytes)
  archive.pass(&state)
  guard !archive.isDamaged, archive.offset == bytes.count else { throw DamagedArchive() }
  return state
}

/// `fresh`, which has the settings of `state`, after `state` was archived and read into it.
package func restored<State: StateArchivable>(
  _ fresh: State, from state: State
) throws(DamagedArchive) -> State {
  try restored(fresh, from: archived(state))
}
