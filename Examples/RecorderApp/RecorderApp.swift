import Locomotion
import LocomotionJournal
import SwiftUI

/// One screen: what the person does now, and the day.
@main
struct RecorderApp: App {
  @StateObject private var model = RecorderModel()
  @Environment(\.scenePhase) private var phase

  var body: some Scene {
    WindowGroup { RecorderScreen(model: model) }
      .onChange(of: phase) {
        // At most the last ten seconds are at stake otherwise.
        if phase == .background { model.save() }
      }
  }
}

struct RecorderScreen: View {
  @ObservedObject var model: RecorderModel

  var body: some View {
    List {
      Section("Now") {
        LabeledContent("Activity", value: model.activity)
        LabeledContent("Cadence", value: model.cadence)
        LabeledContent("Distance", value: model.distance)
        Button(model.isRecording ? "Stop" : "Start") {
          if model.isRecording { model.stop() } else { model.start() }
        }
        if let problem = model.problem { Text(problem) }
      }
      Section("Today") {
        ForEach(model.today) { item in
          LabeledContent(RecorderModel.times(of: item), value: RecorderModel.words(for: item))
        }
      }
    }
  }
}
