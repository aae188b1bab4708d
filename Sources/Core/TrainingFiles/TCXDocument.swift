import Timeline

/// A session in Garmin's Training Center XML, version 2, with its extension for power (ActivityExtension
/// v2): what Strava, TrainingPeaks and most others take.
///
/// A file is `head`, activities and `end`. The schema knows runs, rides and `Other`; elements stand in the
/// order that it prescribes.
struct TCXDocument: Sendable {
    private static let schemas = "http://www.garmin.com/xmlschemas"
    static let head = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="\(schemas)/TrainingCenterDatabase/v2" \
        xmlns:x="\(schemas)/ActivityExtension/v2">
         <Activities>

        """.utf8)
    static let end = Array(" </Activities>\n</TrainingCenterDatabase>\n".utf8)

    private var text = ""

    /// The activity.
    var bytes: [UInt8] { Array(text.utf8) }

    init(_ session: RowedSession) {
        text = """
              <Activity Sport="Other">
               <Id>\(Self.time(session.startedAt))</Id>

            """
        for index in session.laps.indices { add(session.laps[index], index, of: session) }
        text += """
               <Notes>Indoor rowing</Notes>
              </Activity>

            """
    }

    private mutating func add(_ lap: RowedSession.Lap, _ index: Int, of session: RowedSession) {
        let end = index + 1 < session.laps.count ? session.laps[index + 1].startedAt : .max
        // Strokes of a rest belong to the interval before it; the first lap has whatever was told early.
        let begin = index == 0 ? .min : lap.startedAt
        text += "   <Lap StartTime=\"\(Self.time(lap.startedAt))\">\n"
        add("TotalTimeSeconds", Self.decimal(lap.duration, places: 2))
        add("DistanceMeters", Self.decimal(lap.distance, places: 1))
        add("Calories", "\(min(lap.calories ?? 0, Int(UInt16.max)))")
        addHeartRate("AverageHeartRateBpm", lap.heartRate)
        add("Intensity", "Active")
        if let rate = lap.strokesPerMinute { add("Cadence", "\(min(rate, 254))") }
        add("TriggerMethod", "Manual")
        let strokes = session.strokes.filter { begin < $0.at && $0.at <= end }
        if !strokes.isEmpty {
            text += "    <Track>\n"
            for stroke in strokes { add(stroke) }
            text += "    </Track>\n"
        }
        if let watts = lap.watts {
            text += "    <Extensions><x:LX><x:AvgWatts>\(watts)</x:AvgWatts></x:LX></Extensions>\n"
        }
        text += "   </Lap>\n"
    }

    private mutating func add(_ stroke: RowedSession.Stroke) {
        text += "     <Trackpoint>\n"
        add("Time", Self.time(stroke.at))
        add("DistanceMeters", Self.decimal(stroke.distance, places: 1))
        addHeartRate("HeartRateBpm", stroke.heartRate)
        if let rate = stroke.strokesPerMinute { add("Cadence", "\(min(rate, 254))") }
        var extensions = ""
        if let pace = stroke.pace, pace > 0 {
            extensions += "<x:Speed>\(Self.decimal(500 / pace, places: 3))</x:Speed>"
        }
        if let watts = stroke.watts { extensions += "<x:Watts>\(watts)</x:Watts>" }
        if !extensions.isEmpty { add("Extensions", "<x:TPX>\(extensions)</x:TPX>") }
        text += "     </Trackpoint>\n"
    }

    private mutating func add(_ name: String, _ content: String) {
        text += "      <\(name)>\(content)</\(name)>\n"
    }

    private mutating func addHeartRate(_ name: String, _ beats: Int?) {
        if let beats, (1...254).contains(beats) { add(name, "<Value>\(beats)</Value>") }
    }

    private static func time(_ unixMilliseconds: Int64) -> String {
        CivilTime(unixMilliseconds: unixMilliseconds).rfc3339
    }

    /// Without an exponent, which XML's decimals do not have.
    private static func decimal(_ value: Double, places: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = (value * Double(scale)).whole
        let fraction = String(scaled % scale + scale).dropFirst()
        return "\(scaled / scale).\(fraction)"
    }
}
