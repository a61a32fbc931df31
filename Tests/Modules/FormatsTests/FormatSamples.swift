import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// A small input of each format, made up from its public description.
enum FormatSamples {
  /// The files of each format of text, by their names.
  static let texts: [RecordingFormat: [String: String]] = [
    .gpx: ["walk.gpx": gpx],
    .geojson: ["walk.geojson": geojson],
    .overland: ["batch.json": overland],
    .ndjson: ["walk.ndjson": ndjson],
    .moves: ["day.json": moves],
    .sensorlogger: sensorLogger,
    .sensorloggerpush: ["push.json": sensorLoggerPush],
    .phyphox: phyphox,
    .table: ["log.csv": sensorLog],
    .google: ["2024_MAY.json": googleMonth],
    .owntracks: ["2024-05.rec": ownTracks],
    .tcx: ["walk.tcx": tcx],
    .kml: ["walk.kml": kml],
    .strava: strava,
    .appleHealth: appleHealth,
    .dawarich: ["export.json": dawarich],
    .geolife: geolife,
    .shl: shl,
    .ucihar: uciHAR,
    .pamap2: ["subject101.dat": pamap2],
    .arc: arc,
  ]

  /// The files of a format, by their names.
  static func files(_ format: RecordingFormat) -> [String: [UInt8]] {
    if format == .fit { return ["run.fit": fitFiles["run"] ?? []] }
    return (texts[format] ?? [:]).mapValues { Array($0.utf8) }
  }

  static func source(_ format: RecordingFormat) -> ImportSource {
    ImportSource(name: "sample", files: files(format))
  }

  static let gpx = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="urn:x">
    <wpt lat="1" lon="2"/>
    <trk><trkseg>
    <trkpt lat="48.5" lon="-11.25"><ele>500.5</ele><time>2024-05-01T12:00:00.250Z</time>
    <hdop>2</hdop><extensions><x:speed>1.5</x:speed><x:course>90</x:course></extensions></trkpt>
    <trkpt lat="48.6" lon="-11.25"><time>2024-05-01T14:00:01+02:00</time></trkpt>
    <trkpt lat="48.7" lon="-11.25"></trkpt>
    <trkpt lat="98.7" lon="-11.25"><time>2024-05-01T12:00:02Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  static let geojson = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.25,48.5,7]},
    "properties":{"time":"2024-05-01T12:00:00Z","speed":1.5}},
    {"type":"Feature","geometry":{"type":"LineString","coordinates":[]},"properties":{}}]}
    """

  static let overland = """
    {"current":{"a":[1,{"b":2}]},"locations":[
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.25,48.5]},"properties":{
    "timestamp":"2024-05-01T12:00:00+0000","altitude":80,"speed":-1,"course":-1,
    "horizontal_accuracy":5,"vertical_accuracy":-1,"motion":["driving","stationary"],
    "device_id":"phone \\u00e9"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.25,48.5]},"properties":{
    "timestamp":"2024-05-01T12:00:00+0000","altitude":80,"speed":-1,"course":-1,
    "horizontal_accuracy":5,"vertical_accuracy":-1,"motion":["driving","stationary"],
    "device_id":"phone \\u00e9"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-11.26,48.5]},"properties":{
    "timestamp":"yesterday"}}],"trip":null}
    """

  static let ndjson = """
    {"recording":"a/b","subject":"me","gyroscope":true}
    {"t":[1.000000001,2],"ax":[0.5,null],"ay":[1,2],"az":[9.75,9.5],\
    "gx":[1,2],"gy":[3,4],"gz":[5,6]}
    {"fixes":[{"t":1.5,"lat":48.5,"lon":-11.25,"hacc":5,"speed":1},{"lat":1,"lon":1}]}
    {"label":"walking","start":1,"end":2}
    """

  static let moves = """
    [{"date":"20240501","segments":[
    {"type":"place","startTime":"20240501T100000Z","endTime":"20240501T120000+0200",
    "place":{"id":7,"type":"home","location":{"lat":48.5,"lon":-11.25}},"activities":[]},
    {"type":"move","startTime":"20240501T100000Z","endTime":"20240501T101000Z","activities":[
    {"activity":"wlk","startTime":"20240501T100000Z","endTime":"20240501T101000Z","duration":600,
    "distance":700,"steps":900,"trackPoints":[
    {"lat":48.5,"lon":-11.25,"time":"20240501T100100Z"},
    {"lat":48.501,"lon":-11.25,"time":"20240501T100200Z"},{"lat":48.5,"lon":0}]}]}],
    "lastUpdate":"20240502T000000Z"}]
    """

  static let sensorLogger = [
    "Accelerometer.csv": """
    time,seconds_elapsed,z,y,x
    1714564800000000001,-0.01,0.3,0.2,0.1
    1714564800010000000,0.01,0.6,0.5,0.4
    1714564800020000000,0.02,oops,0.5,0.4
    1714564900000000000,100,0.6,0.5,0.4
    """,
    "Gravity.csv": """
    time,seconds_elapsed,z,y,x
    1714564800000000000,-0.01,-9.8,0,0
    1714564800020000000,0.02,-9.6,0,1
    """,
    "Gyroscope.csv": """
    time,seconds_elapsed,z,y,x
    1714564800000000000,-0.01,3,2,1
    """,
    "Location.csv": """
    time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,\
    bearing,altitude,longitude,latitude
    1714564800005000000,0,-1,0.5,4,5,1.25,-1,500,-11.25,48.5
    1714564801005000000,1,-1,0.5
    """,
    "Barometer.csv": """
    time,seconds_elapsed,relativeAltitude,pressure
    1714564800000000000,-0.01,0,1001.5
    1714564801000000000,1,0.1,
    """,
    "Metadata.csv": """
    version,device name,platform,device id,standardisation
    3,"Phone, new",ios,abc,false
    """,
  ]

  /// Two messages, in any order and from several sensors; the second one from iOS.
  static let sensorLoggerPush = """
    {"messageId":1,"sessionId":"s-1","deviceId":"phone","payload":[
    {"name":"gravity","accuracy":3,"time":1700000000020000000,"values":{"x":0,"y":1,"z":9.5}},
    {"name":"accelerometer","time":1700000000010000000,"values":{"x":0.25,"y":0,"z":0.5}},
    {"name":"gravity","time":1700000000000000000,"values":{"x":0,"y":0,"z":9.5}},
    {"name":"accelerometer","time":"1700000000000000000","values":{"x":0.5,"y":0,"z":0.25}},
    {"name":"accelerometer","values":{"x":0.5,"y":0,"z":0.25}},
    {"name":"gyroscope","time":1700000000000000000,"values":{"x":0.1,"y":0.2,"z":0.3}},
    {"name":"barometer","time":1700000000000000000,
    "values":{"relativeAltitude":0,"pressure":101.25}},
    {"name":"microphone","time":1700000000000000000,"values":{"dBFS":-160}},
    {"name":"location","time":1700000000000000000,"values":{"latitude":48.1,"longitude":11.5,
    "speed":1.5,"speedAccuracy":0.5,"bearing":-1,"bearingAccuracy":0,"altitude":500,
    "horizontalAccuracy":4,"verticalAccuracy":3}}]}
    {"messageId":2,"sessionId":"s-2","deviceId":"phone","payload":[
    {"name":"test","time":0,"values":[]},
    {"name":"accelerometeruncalibrated","time":1700000001000000000,
    "values":{"x":0,"y":0.5,"z":-1}}]}
    """

  static let phyphox = [
    "Accelerometer.csv": """
    "Time (s)";"Acceleration x (m/s^2)";"Acceleration y (m/s^2)";"Acceleration z (m/s^2)"
    0,5;1,25E-1;0;9,81
    20;2;0;9,81
    """,
    "Gyroscope.csv": """
    "Time (s)"\t"Gyroscope x (rad/s)"\t"Gyroscope y (rad/s)"\t"Gyroscope z (rad/s)"
    1,5\t1\t2\t3
    """,
    "Location.csv": """
    "Time (s)","Latitude (°)","Longitude (°)","Height (m)","Velocity (m/s)","Direction (°)",\
    "Horizontal Accuracy (m)","Vertical Accuracy (°)"
    2,48.5,-11.25,500,1.5,90,5,8
    3,NaN,NaN,NaN,NaN,NaN,NaN,NaN
    """,
    "Pressure.csv": """
    "Time (s)","Pressure (hPa)"
    2.5,1002.25
    """,
    "meta/time.csv": """
    "event","experiment time","system time","system time text"
    "START",0,1714564800.25,"2024"
    "PAUSE",10,1714564810.25,"2024"
    "START",10,1714565000,"2024"
    """,
    "meta/device.csv": "property,value\nversion,1.1\n",
  ]

  /// The iOS app SensorLog, with the columns of other sensors left out.
  static let sensorLog = """
    loggingTime(txt),locationLatitude(WGS84),locationLongitude(WGS84),locationSpeed(m/s),\
    locationHorizontalAccuracy(m),accelerometerTimestamp_sinceReboot(s),\
    accelerometerAccelerationX(G),accelerometerAccelerationY(G),accelerometerAccelerationZ(G),\
    gyroRotationX(rad/s),gyroRotationY(rad/s),gyroRotationZ(rad/s),altimeterPressure(kPa)
    2024-05-01 14:00:00.250 +0200,48.5,-11.25,-1,5,1000.5,0,0,-1,1,2,3,100.5
    2024-05-01 14:00:00.270 +0200,48.5,-11.25,-1,5,1000.52,0.5,0,-1,1,2,3,100.5
    2024-05-01 14:00:00.290 +0200,48.5,-11.25,1.5,5,1000.54,oops,0,-1,1,2,3,100.25
    """

  /// A month of Google's history: a confirmed journey, one that is not, and a visit.
  static let googleMonth = """
    {"timelineObjects":[
    {"activitySegment":{"startLocation":{"latitudeE7":481000000,"longitudeE7":4183717296},
    "endLocation":{"latitudeE7":482000000,"longitudeE7":-111000000},
    "duration":{"startTimestamp":"2024-05-01T12:00:00Z","endTimestampMs":"1714565400000"},
    "activityType":"IN_SUBWAY","editConfirmationStatus":"CONFIRMED",
    "simplifiedRawPath":{"points":[{"latE7":481500000,"lngE7":-111000000,
    "timestamp":"2024-05-01T12:05:00Z"}]}}},
    {"activitySegment":{"duration":{},"activityType":"WALKING"}},
    {"placeVisit":{"location":{"latitudeE7":482000000,"longitudeE7":-111000000},
    "duration":{"startTimestamp":"2024-05-01T12:10:00Z","endTimestamp":"2024-05-01T13:00:00Z"}}}]}
    """

  static let geolife = [
    "010/Trajectory/20080402.plt": """
    Geolife trajectory
    WGS 84
    Altitude is in Feet
    Reserved 3
    0,2,255,My Track,0,0,2,8421376
    0
    39.5,116.25,0,100,39540.4,2008-04-02,11:24:21
    39.6,116.25,0,-777,39540.5,2008-04-02,11:24:22
    39.6,116.25,0,-777,39540.5,2008-04-31,11:24:22
    """,
    "010/labels.txt": """
    Start Time\tEnd Time\tTransportation Mode
    2008/04/02 11:24:21\t2008/04/02 11:50:45\tbus
    2008/04/02 11:24:21\t2008/04/02 11:20:45\tcar
    """,
  ]

  static let shl = [
    "User1/220617/Hand_Motion.txt": """
    1498120000000 0.5 0.25 9.75 0.1 0.2 0.3 0 0 0 1 0 0 0 0 0 9.8 0 0 0 1000 0 20
    1498120000010 NaN 0.25 9.5 0.1 0.2 0.3 0 0 0 1 0 0 0 0 0 9.8 0 0 0 1000 0 20
    1498120000020 NaN NaN NaN 0.1 0.2 0.3 0 0 0 1 0 0 0 0 0 9.8 0 0 0 1000 0 20
    """,
    "User1/220617/Hand_Location.txt": "1498120000000 0 0 8 50.5 -0.25 100\n",
    "User1/220617/Label.txt": """
    1498120000000 0 0 0
    1498120000010 2 3 0
    1498120000020 2 3 0
    1498120000030 8 3 0
    """,
  ]

  static let uciHAR: [String: String] = {
    var files = ["train/subject_train.txt": "1\n1\n1\n3\n", "train/y_train.txt": "1\n1\n2\n6\n"]
    for name in ["total_acc", "body_gyro"] {
      for (shift, axis) in ["x", "y", "z"].enumerated() {
        // The second window continues the first, the third does not.
        let rows = [0, 64, 1000, 2000].map { start in
          (0..<128).map { "\(Double(start + $0 + 10_000 * shift) / 1024)" }.joined(separator: "  ")
        }
        files["train/Inertial Signals/\(name)_\(axis)_train.txt"] = rows.joined(separator: "\n")
      }
    }
    return files
  }()

  static let pamap2: String = {
    let place = "30 1.5 2.5 9.5 1 2 9 0.1 0.2 0.3 1 1 1 1 0 0 0"
    return [
      "8.38 0 104 \(place) \(place) \(place)", "8.39 4 NaN \(place) \(place) \(place)",
      "8.40 4 NaN \(place) \(place) \(place)", "8.41 4 NaN \(place)",
    ].joined(separator: "\n")
  }()

  static let arc = [
    "export/metadata.json": "{\"schemaVersion\":\"2.2.0\"}",
    "export/items/2024-05.json": """
    [{"base":{"startDate":"2024-05-01T12:00:00Z","endDate":"2024-05-01T13:00:00Z"},
    "trip":{"confirmedActivityType":20}}]
    """,
    "export/samples/2024-W18.json": """
    [{"date":"2024-05-01T12:00:00Z","latitude":48.5,"longitude":-11.25,"altitude":500,
    "horizontalAccuracy":5,"verticalAccuracy":-1,"speed":1.5,"course":-1,"movingState":1,
    "confirmedActivityType":2,"classifiedActivityType":5},
    {"date":736257606,"latitude":48.6,"longitude":-11.25,"confirmedActivityType":2},
    {"date":1714564812.5,"latitude":48.7,"longitude":-11.25},
    {"date":"2024-05-01T12:00:18Z","latitude":null,"longitude":null},
    {"date":"2024-05-01T12:00:24Z","latitude":1,"longitude":1,"disabled":true}]
    """,
  ]
}

/// Everything that an importer emitted.
struct Imported {
  var recordings: [ImportedRecording] = []
  var batch = SensorBatch()
  var labels: [String] = []
  var report = ImportReport()

  init(_ source: ImportSource, as format: RecordingFormat) throws(RecordingError) {
    var all = Imported()
    all.report = try format.read(source) { (event: ImportEvent) throws(RecordingError) in
      switch event {
      case .recording(let recording): all.recordings.append(recording)
      case .batch(let batch): all.batch.append(contentsOf: batch)
      case .label(let start, let end, let text):
        all.labels.append("\(text) \(start.seconds) \(end.seconds)")
      }
    }
    self = all
  }

  private init() {}

  init(_ bytes: [UInt8], named name: String, as format: RecordingFormat) throws(RecordingError) {
    try self.init(ImportSource(name: name, files: [name: bytes]), as: format)
  }

  init(_ text: String, named name: String, as format: RecordingFormat) throws(RecordingError) {
    try self.init(Array(text.utf8), named: name, as: format)
  }

  var seconds: [Double] { batch.accelerations.timestamps.map(\.seconds) }
}

/// Files of text by their names.
func source(_ files: [String: String], named name: String = "in") -> ImportSource {
  ImportSource(name: name, files: files.mapValues { Array($0.utf8) })
}

extension ImportSource {
  /// Everything that the importer of a format emits for the files.
  func imported(as format: RecordingFormat) throws(RecordingError) -> Imported {
    try Imported(self, as: format)
  }

  /// Everything that is emitted for the files, whose format is detected.
  func imported(detectedAs format: RecordingFormat) throws(RecordingError) -> Imported {
    let detected = try RecordingFormat(detecting: self)
    #expect(detected == format)
    return try Imported(self, as: detected)
  }
}

extension RecordingSource {
  /// All that is read of the files, and what is said of them.
  func whole() throws(RecordingError) -> (batch: SensorBatch, report: ImportReport) {
    var reader = try reader()
    var (batch, all) = (SensorBatch(), SensorBatch())
    while try reader.read(into: &batch) { all.append(contentsOf: batch) }
    return (all, reader.report)
  }
}

/// The error that `body` throws; nil when it throws none.
func recordingError(_ body: () throws -> Void) -> RecordingError? {
  do { try body() } catch { return error as? RecordingError }
  return nil
}

/// The path and the reason of an input that is refused; nil for every other outcome.
func refusal(_ body: () throws -> Void) -> (path: String, reason: String)? {
  guard case .refused(let path, let reason)? = recordingError(body) else { return nil }
  return (path, reason)
}

/// Where and how an input is malformed; nil for every other outcome.
func defect(
  _ body: () throws -> Void
) -> (path: String, place: String, expected: String, found: String)? {
  guard case .malformed(let path, let place, let expected, let found)? = recordingError(body)
  else { return nil }
  return (path, place, expected, found)
}

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
