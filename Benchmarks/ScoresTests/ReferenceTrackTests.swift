import BenchmarkScores
import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct ReferenceTrackTests {
  @Test func columnsAreFoundByName() throws {
    let folder = ScratchFolder()
    try folder.write("t,ax,ay,az\n0,1,2,3\n", to: "day.csv")
    let path = try folder.write(
      """
      activity,t,lat,lon,speed,moving,stay,env,mode
      stationary,0,48.1,11.5,0.000,0,0,indoor,still
      walking,1,48.2,11.6,1.25,1,-1,street,walk
      ,2,,,,2,,,
      walking,,48,11,1,1,-1,street,walk

      """, to: "day.truth.csv")
    #expect(ReferenceTrack.path(besideRecording: "\(folder.path)/day.csv") == path)
    let track = try ReferenceTrack(path: path)
    #expect(track.points.map(\.timestamp.seconds) == [0, 1, 2])
    #expect(track.points.map(\.isMoving) == [false, true, nil])
    #expect(track.points.map(\.stay) == [0, nil, nil])
    #expect(track.points.map(\.environment) == ["indoor", "street", nil])
    #expect(track.points.map(\.mode) == ["still", "walk", nil])
    #expect(track.points.map(\.activity) == ["stationary", "walking", nil])
    #expect(track.points.map(\.speed) == [0, 1.25, nil])
    #expect(track.points[1].latitude == 48.2 && track.points[1].longitude == 11.6)
    #expect(track.points[2].latitude.isNaN)
    #expect(track.stays.isEmpty)
  }

  @Test func cadenceAndStepsAreReadWhenPresent() throws {
    let folder = ScratchFolder()
    let path = try folder.write(
      "t,lat,lon,cadence,steps\n0,1,2,110.5,2\n1,1,2,0,0\n2,1,2,,\n3,1,2,-1,1.5\n",
      to: "day.truth.csv")
    let points = try ReferenceTrack(path: path).points
    #expect(points.map(\.cadenceStepsPerMinute) == [110.5, nil, nil, nil])
    #expect(points.map(\.steps) == [2, 0, nil, nil])
  }

  @Test func staysBesideTheTrackAreRead() throws {
    let folder = ScratchFolder()
    let path = try folder.write("t,lat,lon\n0,48,11\n", to: "day.truth.csv")
    try folder.write("start,end,lat,lon\n0,1829,48.137,11.575\n", to: "day.stays.csv")
    let stay = try #require(try ReferenceTrack(path: path).stays.first)
    #expect(stay.start.nanoseconds == 0 && stay.end.nanoseconds == 1_829_000_000_000)
    #expect(stay.latitude == 48.137 && stay.longitude == 11.575)
  }

  @Test func aRecordingWithoutAReferenceTrackGivesNil() throws {
    let folder = ScratchFolder()
    let path = try folder.write("t,ax,ay,az\n", to: "day.csv")
    #expect(ReferenceTrack.path(besideRecording: path) == nil)
  }

  @Test func aTrackWithoutRowsIsRejected() throws {
    let folder = ScratchFolder()
    let path = try folder.write("t,lat,lon\n,1,2\n", to: "day.truth.csv")
    let error = #expect(throws: RecordingError.self) { try ReferenceTrack(path: path) }
    #expect(error?.isInputRejection == true)
    let wrong = try folder.write("t,x,y\n", to: "wrong.truth.csv")
    let header = #expect(throws: RecordingError.self) { try ReferenceTrack(path: wrong) }
    guard case .badHeader(wrong, 1, _, "t,x,y")? = header else {
      Issue.record("a track without coordinates was accepted")
      return
    }
  }
}
