import BenchmarkHarness
import Foundation

/// Measures in turns with other programs that do comparable work.
///
/// Each line on standard input names an entry. The response is one sample of that entry: the
/// wall-clock and the processor nanoseconds per item. A program that measures the participants one
/// after the other, round by round, spreads a slow phase of the machine over all of them.
enum Turns {
  static func take(_ entries: [String: Entry]) {
    var prepared: [String: (work: () -> Void, count: Int)] = [:]
    while let name = readLine() {
      guard let entry = entries[name] else {
        answer("unknown entry \(name)")
        continue
      }
      if prepared[name] == nil {
        let work = entry.prepare()
        prepared[name] = (work, Stopwatch.thorough.repetitions(of: work))
      }
      guard let (work, count) = prepared[name] else { continue }
      let sample = Stopwatch.sample(of: work, repeated: count)
      let items = Double(entry.items)
      answer("\(sample.wall / items) \(sample.processor / items)")
    }
  }

  private static func answer(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
