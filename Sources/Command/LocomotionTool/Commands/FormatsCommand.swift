import LocomotionFormats

extension Command {
  static let formats = Command(
    name: "formats", synopsis: "",
    summary: "Prints the forms of recordings, and what each carries.",
    options: []
  ) { _ in
    let lines = RecordingFormat.allCases.map { form in
      let name = form.rawValue + String(repeating: " ", count: 17 - form.rawValue.count)
      return name + (form.isWritable ? "in, out  " : "in       ") + form.carries
    }
    try TextOutput.print(lines.joined(separator: "\n") + "\n")
  }
}

extension RecordingFormat {
  /// What is read of a form, in a line.
  fileprivate var carries: String {
    switch self {
    case .csv: "samples and fixes, t,ax,ay,az[,gx,gy,gz] and t,lat,lon[,…]; of a folder labels, too"
    case .gpx: "fixes of tracks, the sport, pauses, heart rate, laps; GPX 1.0 and 1.1"
    case .geojson: "fixes: points with times, and lines with coordTimes"
    case .ndjson: "samples, fixes, labels and names, a JSON batch per line, as 'record' takes them"
    case .overland: "fixes of the Overland app"
    case .moves: "fixes, places and activities of Moves' storyline"
    case .sensorlogger: "samples and fixes of Sensor Logger: folder, zip, JSON; also a watch's"
    case .sensorloggerpush: "the same from the messages that Sensor Logger sends"
    case .phyphox: "samples and fixes of phyphox: folder, zip, a file; in eight languages"
    case .table:
      "samples and fixes of a table, or of objects of JSON, with names in eight languages, or told "
        + "by their values: SensorLog, AndroSensor, Physics Toolbox, Sensor Record, GPSLogger, MATLAB "
        + "Mobile, Samsung Health, Endomondo, Nike, Google Fit, Home Assistant; NMEA 0183, IGC, Huawei's HiTrack"
    case .google: "fixes, visits and activities of Google's Records.json and Timeline.json"
    case .owntracks: "fixes of OwnTracks"
    case .fit: "fixes, sport, pauses, laps, heart rate, cadence, power of Garmin's FIT"
    case .tcx: "fixes, sport, pauses, laps, heart rate, cadence, power of TCX"
    case .kml: "fixes of tracks and points with times, visits; also KMZ"
    case .strava: "the activities of Strava's archive"
    case .appleHealth: "routes and workouts of the export of Apple's Health"
    case .dawarich: "fixes of Dawarich's GeoJSON"
    case .geolife: "fixes and modes of the GeoLife set"
    case .shl: "samples, pressures, fixes and labels of the SHL set"
    case .ucihar: "samples and labels of the UCI HAR set"
    case .pamap2: "samples and labels of the PAMAP2 set"
    case .arc: "fixes, visits and activities of Arc and LocoKit2"
    }
  }
}
