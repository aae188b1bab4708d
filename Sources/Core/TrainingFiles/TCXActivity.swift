import Bests
import Timeline

/// A session in Garmin's Training Center XML, version 2, with its extension for power (ActivityExtension
/// v2): the format for Strava, TrainingPeaks and most others.
///
/// A file consists of `head`, activities and `end`. The schema has runs, rides and `Other`, and prescribes
/// the order of elements. A track has a point at the start, one at each lap's end, and points a second or
/// slightly more apart between them, so that a reader of whole seconds sees distinct times. Rests and
/// pauses have no points.
struct TCXActivity: Sendable {
    private static let schemas = "http://www.garmin.com/xmlschemas"
    static let head = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="\(schemas)/TrainingCenterDatabase/v2">
         <Activities>

        """.utf8)
    static let end = Array(" </Activities>\n</TrainingCenterDatabase>\n".utf8)

    private var text = ""

    /// The activity.
    var bytes: [UInt8] { Array(text.utf8) }

    init(_ session: ExportedSession) {
        text = """
              <Activity Sport="\(session.machine == .bike ? "Biking" : "Other")">
               <Id>\(Self.time(session.startedAt))</Id>

            """
        for lap in session.laps { add(lap) }
        text += """
               <Notes>\(session.machine.notes)</Notes>
              </Activity>

            """
    }

    private mutating func add(_ lap: ExportedSession.Lap) {
        text += "   <Lap StartTime=\"\(Self.time(lap.startedAt))\">\n"
        add("TotalTimeSeconds", Self.decimal(lap.duration, places: 2))
        add("DistanceMeters", Self.decimal(lap.distance, places: 1))
        add("Calories", "\(min(lap.calories ?? 0, Int(UInt16.max)))")
        addHeartRate("AverageHeartRateBpm", lap.averageHeartRate)
        addHeartRate("MaximumHeartRateBpm", lap.greatestHeartRate)
        add("Intensity", "Active")
        if let rate = lap.strokesPerMinute { add("Cadence", "\(min(rate, 254))") }
        add("TriggerMethod", "Manual")
        let points = lap.segments.flatMap { $0.points(max(1, Int(($0.end - $0.start) / 1000))) }
        if !points.isEmpty {
            text += "    <Track>\n"
            for point in points { add(point) }
            text += "    </Track>\n"
        }
        if let watts = lap.watts {
            add("Extensions", Self.extended("LX", "<AvgWatts>\(watts)</AvgWatts>"))
        }
        text += "   </Lap>\n"
    }

    private mutating func add(_ point: TrackSegment.Point) {
        text += "     <Trackpoint>\n"
        add("Time", Self.time(point.at.whole))
        add("DistanceMeters", Self.decimal(point.distance, places: 2))
        if let stroke = point.stroke {
            addHeartRate("HeartRateBpm", stroke.heartRate)
            if let rate = stroke.strokesPerMinute { add("Cadence", "\(min(rate, 254))") }
            var extensions = ""
            if let pace = stroke.pace, pace > 0 {
                extensions += "<Speed>\(Self.decimal(500 / pace, places: 3))</Speed>"
            }
            if let watts = stroke.watts { extensions += "<Watts>\(watts)</Watts>" }
            if !extensions.isEmpty { add("Extensions", Self.extended("TPX", extensions)) }
        }
        text += "     </Trackpoint>\n"
    }

    /// In the extension's namespace without a prefix: many readers look at the local name only.
    private static func extended(_ name: String, _ content: String) -> String {
        "<\(name) xmlns=\"\(schemas)/ActivityExtension/v2\">\(content)</\(name)>"
    }

    private mutating func add(_ name: String, _ content: String) {
        text += "      <\(name)>\(content)</\(name)>\n"
    }

    private mutating func addHeartRate(_ name: String, _ beats: Int?) {
        if let beats, ExportedSession.heartRates.contains(beats) { add(name, "<Value>\(beats)</Value>") }
    }

    private static func time(_ unixMilliseconds: Int64) -> String {
        CivilTime(unixMilliseconds: unixMilliseconds).rfc3339
    }

    /// Without an exponent, which XML decimals do not allow.
    private static func decimal(_ value: Double, places: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = (value * Double(scale)).whole
        let fraction = String(scaled % scale + scale).dropFirst()
        return "\(scaled / scale).\(fraction)"
    }
}

extension MachineKind {
    fileprivate var notes: String {
        switch self {
        case .rower: "Indoor rowing"
        case .ski: "SkiErg"
        case .bike: "BikeErg"
        }
    }
}
