import Foundation
import LocomotionFormats
import TestSupport

/// Small inputs of formats of tracks and of exports that hold them.
extension FormatSamples {
  static let ownTracks = """
    2024-05-01T12:00:00Z\t*                 \t{"_type":"location","tst":1714564800,"lat":48.5,\
    "lon":-11.25,"alt":500,"acc":8,"vac":3,"vel":36,"cog":270,"batt":80,"p":95.5,"tid":"me"}
    2024-05-01T12:00:30Z\tevent             \t{"_type":"transition","tst":1714564830,"lat":48.5,\
    "lon":-11.25,"event":"leave"}

    2024-05-01T12:01:00Z  *                   {"_type":"location","tst":1714564860,"lat":48.6,\
    "lon":-11.25,"vac":0,"vel":-1}
    2024-05-01T12:02:00Z\t*                 \t{"_type":"location","lat":48.6,"lon":-11.25}
    2024-05-01T12:03:00Z\t*                 \t{"_type":"location","tst":17145649
    """

  static let tcx = """
              <?xml version="1.0" encoding="UTF-8"?>
    <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
    xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
    <Activities><Activity Sport="Running"><Id>2024-05-01T12:00:00Z</Id>
    <Lap StartTime="2024-05-01T12:00:00Z"><DistanceMeters>1000</DistanceMeters><Track>
    <Trackpoint><Time>2024-05-01T12:00:00Z</Time><Position><LatitudeDegrees>48.5</LatitudeDegrees>
    <LongitudeDegrees>-11.25</LongitudeDegrees></Position><AltitudeMeters>500.5</AltitudeMeters>
    <DistanceMeters>0</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm>
    <Extensions><ns3:TPX><ns3:Speed>2.5</ns3:Speed></ns3:TPX></Extensions></Trackpoint>
    <Trackpoint><Time>2024-05-01T12:00:05Z</Time></Trackpoint>
    <Trackpoint><Time>2024-05-01T12:00:10Z</Time><Position><LatitudeDegrees>48.6</LatitudeDegrees>
    <LongitudeDegrees>-11.25</LongitudeDegrees></Position></Trackpoint></Track>
    <Track><Trackpoint><Time>2024-05-01T14:01:00+02:00</Time><Position>
    <LatitudeDegrees>48.7</LatitudeDegrees><LongitudeDegrees>-11.25</LongitudeDegrees></Position>
    <Position><LatitudeDegrees>1</LatitudeDegrees><LongitudeDegrees>1</LongitudeDegrees></Position>
    </Trackpoint></Track></Lap>
    <Lap StartTime="2024-05-01T12:02:00Z"><Track><Trackpoint><Time>yesterday</Time><Position>
    <LatitudeDegrees>48.8</LatitudeDegrees><LongitudeDegrees>-11.25</LongitudeDegrees></Position>
    </Trackpoint><Trackpoint><Time>2024-05-01T12:02:00Z</Time><Position>
    <LatitudeDegrees>48.8</LatitudeDegrees><LongitudeDegrees>-11.25</LongitudeDegrees></Position>
    </Trackpoint></Track></Lap></Activity>
    <Activity Sport="Other"><Lap StartTime="2024-05-01T13:00:00Z"><Track><Trackpoint>
    <Time>2024-05-01T13:00:00Z</Time><Position><LatitudeDegrees>48.5</LatitudeDegrees>
    <LongitudeDegrees>-11.25</LongitudeDegrees></Position></Trackpoint></Track></Lap></Activity>
    </Activities><Courses><Course><Track><Trackpoint><Time>2010-01-01T00:00:00Z</Time><Position>
    <LatitudeDegrees>1</LatitudeDegrees><LongitudeDegrees>1</LongitudeDegrees></Position>
    </Trackpoint></Track></Course></Courses></TrainingCenterDatabase>
    """

  static let kml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
    <Document><Placemark><gx:MultiTrack><gx:Track><altitudeMode>absolute</altitudeMode>
    <when>2024-05-01T12:00:00Z</when><when>2024-05-01T12:00:01.5Z</when>
    <gx:coord>-11.25 48.5 500.5</gx:coord><gx:coord>-11.25 48.6 501</gx:coord></gx:Track>
    <gx:Track><altitudeMode>clampToGround</altitudeMode>
    <when>2024-05-01T14:00:02+02:00</when><gx:coord>-11.25 48.7 0</gx:coord>
    <when>2024-05-01T12:00:03Z</when><gx:coord></gx:coord>
    <when>2024-05-01T12:00:04Z</when></gx:Track></gx:MultiTrack></Placemark>
    <Placemark><TimeStamp><when>2024-05-01T12:01:00Z</when></TimeStamp>
    <Point><coordinates>-11.25,48.8,7</coordinates></Point></Placemark>
    <Placemark><Point><coordinates>-11.25,48.9</coordinates></Point></Placemark>
    <Placemark><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>
    </Document></kml>
    """

  private static func route(_ day: Int, _ content: String = "") -> String {
    """
    <gpx><trk>\(content)<trkseg>
    <trkpt lat="48.5" lon="-11.25"><time>2024-05-0\(day)T12:00:00Z</time></trkpt>
    <trkpt lat="48.6" lon="-11.25"><time>2024-05-0\(day)T12:10:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """
  }

  /// The type of the second activity is not that of its file.
  static let strava = [
    "activities.csv": """
    Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,\
    Filename,Elapsed Time
    1,"May 1, 2024, 12:00:00 PM",Lunch,Ride,"Long,\nand ""windy"" day",600,activities/1.gpx,600
    2,"May 2, 2024, 12:00:00 PM",Walk,Walk,,600,activities/2.tcx,600
    3,"May 3, 2024, 12:00:00 PM",Swim,Swim,,600,activities/3.gpx,600
    4,"May 4, 2024, 12:00:00 PM",Gym,Workout,,600,,600
    5,"May 5, 2024, 12:00:00 PM",Lost,Run,,600,activities/5.fit.gz,600
    6,"May 6, 2024, 12:00:00 PM",Cut,Run,,600,activities/6.gpx,600
    """,
    "activities/1.gpx": route(1), "activities/2.tcx": tcx, "activities/3.gpx": route(3),
    "activities/6.gpx": "<gpx><trk>", "profile.csv": "Athlete ID\n1\n",
  ]

  static let appleHealth = [
    "apple_health_export/export.xml": """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
    <!ATTLIST HealthData locale CDATA #REQUIRED> <!-- it's ] > -->
    ]>
    <HealthData locale="de_DE">
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="A &gt; B" unit="count"
       startDate="2024-05-01 14:00:00 +0200" endDate="2024-05-01 14:05:00 +0200" value="350"/>
     <Record type="HKQuantityTypeIdentifierStepCount" value="150"><MetadataEntry key="a"/></Record>
     <Record type="HKQuantityTypeIdentifierHeartRate" value="60"/>
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="10"
       startDate="2024-05-01 13:59:00 +0200" endDate="2024-05-01 14:11:00 +0200">
      <WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-01 14:03:00 +0200"/>
      <WorkoutEvent type="HKWorkoutEventTypeResume" date="2024-05-01 14:04:00 +0200"/>
      <WorkoutRoute><FileReference path="/workout-routes/route_2024-05-01.gpx"/></WorkoutRoute>
     </Workout>
     <Workout workoutActivityType="HKWorkoutActivityTypeCycling"
       startDate="2024-05-02 12:05:00 +0000" endDate="2024-05-02 13:00:00 +0000"/>
     <Workout workoutActivityType="HKWorkoutActivityTypeYoga"
       startDate="2024-05-02 12:00:00 +0000" endDate="2024-05-02 13:00:00 +0000"/>
    </HealthData>
    """,
    "apple_health_export/workout-routes/route_2024-05-01.gpx": route(1),
    "apple_health_export/workout-routes/route_2024-05-02.gpx": route(2),
  ]

  static let dawarich = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","geometry":{"type":"Point","coordinates":["-11.25","48.5"]},"properties":{
    "battery_status":"unplugged","tracker_id":"me","altitude":500,"longitude":"-11.25",
    "velocity":"2.5","vertical_accuracy":3,"accuracy":8,"timestamp":1714564800,"course":null}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.25,48.6]},"properties":{
    "tracker_id":"me","altitude":null,"velocity":"MyString","accuracy":9,"timestamp":1714564801,
    "course":"90.5","course_accuracy":"4"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.25,48.6]},"properties":{
    "tracker_id":"me","timestamp":null}}]}
    """

  /// The files of `Golden/fit.csv` by their names.
  static let fitFiles: [String: [UInt8]] = {
    let rows = goldenFIT.filter { $0[0] == "file" && $0.count == 3 }
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (row[1], [UInt8](Data(base64Encoded: row[2]) ?? Data()))
      })
  }()

  /// The rows of `Golden/fit.csv`.
  static let goldenFIT: [[String]] = {
    let path = TestFiles.packageRoot.appendingPathComponent("Tests/Support/Golden/fit.csv").path
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }()
}
