internal import Foundation
package import LocomotionRecordings

extension LabelledDataset {
  /// A data set in any form: a folder of tidy recordings as it is, another labelled form as its
  /// conversion to such a folder, which is deleted at the end of the process.
  ///
  /// - Parameters:
  ///   - path: A folder, or a file or archive that `RecordingSource` reads.
  ///   - customLabels: As of ``LabelledDataset/init(folder:descriptor:customLabels:)``.
  /// - Throws: `RecordingError` when it is neither.
  package init(path: String, customLabels: [String: String] = [:]) throws(RecordingError) {
    let descriptor = try DatasetDescriptor.descriptor(for: path)
    do {
      try self.init(folder: path, descriptor: descriptor, customLabels: customLabels)
    } catch {
      guard let source = try? RecordingSource(path: path), source.format != .csv else {
        throw error
      }
      let stem = source.files.stem
      let name = [".", ".."].contains(stem) ? "dataset" : stem
      let folder = try TemporaryFolder.untilExit().path + "/" + name
      let outputs = OutputFiles(inputs: source.filesOnDisk)
      let exporter = try TidyExporter(folder: folder, to: outputs)
      try source.importEvents { (event: ImportEvent) throws(RecordingError) in
        try exporter.take(event)
      }
      try exporter.finish()
      try outputs.commit()
      try self.init(folder: folder, descriptor: descriptor, customLabels: customLabels)
    }
  }
}
