package import LocomotionActivityRecognition
import LocomotionFormats
import LocomotionRecordings
package import LocomotionTraining

/// The labelled windows of the data sets given by `--dataset`.
package struct LabelledWindows {
  package private(set) var set = WindowCollector.emptySet()
  /// Windows of custom activities that behave like none of the six.
  private(set) var outside = WindowCollector.emptySet()
  /// What is wrong with the data sets, a line each.
  package private(set) var problems: [String] = []
  /// Labels that stand for none of the activities, a line each.
  private(set) var ignoredLabels: [String] = []

  /// Reads the data sets one after another, and prints a summary and their problems on standard
  /// error.
  ///
  /// - Throws: ``DatasetProblems`` when there are problems and `isStrict`; the errors of reading.
  package init(
    _ folders: [String], augmentation: AugmentationPlan, seed: UInt64, isStrict: Bool = false,
    custom: [CustomActivity] = []
  ) throws {
    guard !folders.isEmpty else { throw UsageError("name a data set with '--dataset DIRECTORY'") }
    var settings = WindowCollector.Settings()
    settings.augmentation = augmentation
    settings.seed = seed
    let collector = WindowCollector(settings: settings)
    let labels = Dictionary(
      uniqueKeysWithValues: custom.map {
        ($0.name, $0.behavesLike?.name ?? DatasetDescriptor.ignore)
      })
    var progress = ProgressBar(total: folders.count)
    var datasets: [LabelledDataset] = []
    for folder in folders {
      let dataset = try LabelledDataset(path: folder, customLabels: labels)
      for problem in DatasetCheck(dataset).problems {
        problems.append("\(dataset.name): \(problem)")
        StandardError.write("problem: \(dataset.name): \(problem)\n")
      }
      datasets.append(dataset)
    }
    guard problems.isEmpty || !isStrict else { throw DatasetProblems(count: problems.count) }
    for dataset in datasets {
      progress.advance(to: dataset.folder)
      let report = try collector.collect(dataset, into: &set, outside: &outside)
      progress.clear()
      StandardError.write(
        "\(dataset.name): \(report.recordings) recordings, \(report.windows) windows"
          + (report.augmentedWindows > 0 ? ", \(report.augmentedWindows) altered" : "") + "\n")
      for ignored in dataset.ignoredLabels {
        let minutes = (10 * ignored.minutes).rounded() / 10
        ignoredLabels.append("\(dataset.name): '\(ignored.label)', \(minutes) min")
        StandardError.write(
          "  label '\(ignored.label)' stands for no activity: \(minutes) min left out\n")
      }
    }
    guard set.count > 0 else { throw NothingLabelled(folders: folders) }
  }
}

/// Data sets with problems, where none is allowed.
struct DatasetProblems: Error, CustomStringConvertible {
  let count: Int

  var description: String {
    "\(count) problems of the data, which '--strict' does not allow"
  }
}

/// Data sets without a single window of accelerations inside a label's interval.
struct NothingLabelled: Error, CustomStringConvertible {
  let folders: [String]

  var description: String {
    "\(folders.joined(separator: ", ")): no labelled window; expected accelerations of 5.12 s and "
      + "more inside the intervals of labels.csv"
  }
}

/// A progress bar on a terminal; nothing elsewhere.
struct ProgressBar {
  private let total: Int
  private var done: Int

  /// A bar of so many parts, some of which may be done.
  init(total: Int, done: Int = 0) {
    self.total = total
    self.done = done
  }

  /// Shows that the part `name` begins.
  mutating func advance(to name: String) {
    guard StandardError.isTerminal else { return }
    let width = 24
    let filled = width * done / max(1, total)
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    StandardError.write("\r\u{1B}[K\(bar) \(done)/\(total) \(name)")
    done += 1
  }

  /// Shows what is being done, without a bar.
  func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K\(text) …")
  }

  /// Clears the line for other text.
  func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K")
  }
}

extension Arguments {
  /// The seed given by `--seed`, 1 when it is absent.
  func seed() throws -> UInt64 {
    guard let text = value("seed") else { return 1 }
    guard let seed = UInt64(text) else {
      throw UsageError("'--seed \(text)': expected a whole number from 0 to 2^64 - 1")
    }
    return seed
  }

  /// The augmentation to train with.
  var augmentation: AugmentationPlan { has("as-recorded") ? .none : .standard }
}

extension Option {
  static let strict = Option(
    name: "strict", value: nil, help: "problems of the data are errors; see check-dataset")
  static let dataset = Option(
    name: "dataset", value: "DIRECTORY…", help: "labelled data sets; see Datasets/README.md")
  static let seed = Option(
    name: "seed", value: "NUMBER", help: "decides all that is random (default 1)")
  static let asRecorded = Option(
    name: "as-recorded", value: nil, help: "train without altered copies of the recordings")
}
