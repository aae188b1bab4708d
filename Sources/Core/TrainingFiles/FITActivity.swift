import Bests

/// A session as a FIT activity, the format for Garmin Connect and most others.
///
/// Numbers of messages and fields, and their scales, follow the FIT profile (21.32). An activity file
/// begins with `file_id` and ends with `activity`; records and laps are in order of time. The timer is
/// stopped in rests and pauses, which have no records.
package struct FITActivity: Sendable {
    /// The complete file.
    package let bytes: [UInt8]

    /// Messages by their global number.
    private enum Message {
        static let fileID: UInt16 = 0
        static let session: UInt16 = 18
        static let lap: UInt16 = 19
        static let record: UInt16 = 20
        static let event: UInt16 = 21
        static let activity: UInt16 = 34
    }

    /// Values of the profile's enumerations.
    private enum Word {
        static let activityFile: Int64 = 4
        /// A manufacturer without a number.
        static let development: Int64 = 255
        static let timer: Int64 = 0
        static let session: Int64 = 8
        static let lap: Int64 = 9
        static let activity: Int64 = 26
        static let start: Int64 = 0
        static let stop: Int64 = 1
        static let stopAll: Int64 = 4
        static let manual: Int64 = 0
        static let active: Int64 = 0
    }

    private static let timestamp: UInt8 = 253

    package init(_ session: ExportedSession) {
        var file = FITWriter()
        let sport = session.machine.sport
        let laps = Self.inWholeSeconds(session.laps)
        let start = laps.first?.start ?? Self.seconds(session.startedAt)
        let end = laps.last?.end ?? start
        file.add(
            Message.fileID,
            [
                .init(0, .enumeration, Word.activityFile), .init(1, .uint16, Word.development),
                .init(2, .uint16, 0), .init(4, .uint32, start),
            ])
        Self.add(Word.timer, Word.start, at: start, to: &file)
        var last = start
        for (index, lap) in laps.enumerated() {
            for part in lap.parts {
                if part.start > last {
                    Self.add(Word.timer, Word.stopAll, at: last, to: &file)
                    Self.add(Word.timer, Word.start, at: part.start, to: &file)
                }
                for point in part.points {
                    Self.add(point, at: part.start + Int64(point.step), to: &file)
                }
                last = part.end
            }
            Self.add(session.laps[index], index, sport, from: lap.start, to: lap.end, to: &file)
        }
        Self.add(Word.timer, Word.stopAll, at: end, to: &file)
        Self.add(session, sport, from: start, to: end, to: &file)
        file.add(
            Message.activity,
            [
                .init(Self.timestamp, .uint32, end),
                .init(0, .uint32, Self.thousandths(session.duration)),
                .init(1, .uint16, 1), .init(2, .enumeration, Word.manual),
                .init(3, .enumeration, Word.activity), .init(4, .enumeration, Word.stop),
            ])
        bytes = file.finish()
    }

    // MARK: - Whole seconds

    /// A lap in whole FIT seconds.
    private struct WholeLap {
        var start: Int64
        var end: Int64
        var parts: [Part] = []

        struct Part {
            var start: Int64
            var end: Int64
            var points: [TrackSegment.Point]
        }
    }

    /// FIT times are whole seconds, and services compute pace from times. So each segment is rounded to
    /// whole seconds at both ends, which changes its length by up to half a second at either end. It has a
    /// point for each second; the rounding error is spread over all of them. The lap's message has the
    /// exact time.
    private static func inWholeSeconds(_ laps: [ExportedSession.Lap]) -> [WholeLap] {
        var last: Int64?
        return laps.map { lap in
            var whole = WholeLap(start: seconds(lap.startedAt), end: seconds(lap.startedAt))
            for (index, segment) in lap.segments.enumerated() {
                var start = rounded(segment.start)
                if let last { start = segment.continues ? last : max(start, last + 1) }
                let length = segment.end - segment.start
                let end = length > 0 ? max(rounded(segment.end), start + 1) : start
                whole.parts.append(
                    WholeLap.Part(
                        start: start, end: end, points: segment.points(Int(end - start))))
                if index == 0 { whole.start = start }
                (last, whole.end) = (end, end)
            }
            return whole
        }
    }

    private static func rounded(_ unixMilliseconds: Double) -> Int64 {
        (unixMilliseconds / 1000).whole - epoch
    }

    // MARK: - Messages

    private static func add(
        _ event: Int64, _ type: Int64, at seconds: Int64, to file: inout FITWriter
    ) {
        file.add(
            Message.event,
            [
                .init(timestamp, .uint32, seconds), .init(0, .enumeration, event),
                .init(1, .enumeration, type),
            ])
    }

    private static func add(_ point: TrackSegment.Point, at seconds: Int64, to file: inout FITWriter) {
        let stroke = point.stroke
        file.add(
            Message.record,
            [
                .init(timestamp, .uint32, seconds),
                .init(5, .uint32, hundredths(point.distance)),
                .init(3, .uint8, whole(stroke?.heartRate)),
                .init(4, .uint8, whole(stroke?.strokesPerMinute)),
                .init(6, .uint16, stroke?.pace.flatMap { speed(500, $0) }),
                .init(7, .uint16, whole(stroke?.watts)),
            ])
    }

    private static func add(
        _ lap: ExportedSession.Lap, _ index: Int, _ sport: Sport, from start: Int64, to end: Int64,
        to file: inout FITWriter
    ) {
        file.add(
            Message.lap,
            [
                .init(254, .uint16, Int64(index)),
                .init(timestamp, .uint32, end),
                .init(0, .enumeration, Word.lap), .init(1, .enumeration, Word.stop),
                .init(2, .uint32, start),
                .init(7, .uint32, max(lap.endedAt - lap.startedAt, thousandths(lap.duration))),
                .init(8, .uint32, thousandths(lap.duration)),
                .init(9, .uint32, hundredths(lap.distance)),
                .init(11, .uint16, whole(lap.calories)),
                .init(13, .uint16, speed(lap.distance, lap.duration)),
                .init(15, .uint8, whole(lap.averageHeartRate)),
                .init(16, .uint8, whole(lap.greatestHeartRate)),
                .init(17, .uint8, whole(lap.strokesPerMinute)),
                .init(19, .uint16, whole(lap.watts)),
                .init(20, .uint16, whole(lap.greatestWatts)),
                .init(23, .enumeration, Word.active), .init(25, .enumeration, sport.number),
                .init(39, .enumeration, sport.subSport),
            ])
    }

    private static func add(
        _ session: ExportedSession, _ sport: Sport, from start: Int64, to end: Int64,
        to file: inout FITWriter
    ) {
        let passed = session.endedAt - (session.laps.first?.startedAt ?? session.startedAt)
        file.add(
            Message.session,
            [
                .init(timestamp, .uint32, end), .init(0, .enumeration, Word.session),
                .init(1, .enumeration, Word.stop), .init(2, .uint32, start),
                .init(5, .enumeration, sport.number), .init(6, .enumeration, sport.subSport),
                .init(7, .uint32, max(passed, thousandths(session.duration))),
                .init(8, .uint32, thousandths(session.duration)),
                .init(9, .uint32, hundredths(session.distance)),
                .init(10, .uint32, Int64(session.strokeCount)),
                .init(11, .uint16, whole(session.calories)),
                .init(14, .uint16, speed(session.distance, session.duration)),
                .init(16, .uint8, whole(session.averageHeartRate)),
                .init(17, .uint8, whole(session.greatestHeartRate)),
                .init(18, .uint8, whole(session.strokesPerMinute)),
                .init(20, .uint16, whole(session.averageWatts)),
                .init(21, .uint16, whole(session.greatestWatts)),
                .init(25, .uint16, 0), .init(26, .uint16, Int64(session.laps.count)),
            ])
    }

    // MARK: - The profile's units

    /// FIT's epoch, 1989-12-31T00:00:00Z, in Unix seconds.
    private static let epoch: Int64 = 631_065_600

    private static func seconds(_ unixMilliseconds: Int64) -> Int64 {
        unixMilliseconds / 1000 - epoch
    }

    private static func whole(_ value: Int?) -> Int64? { value.map { Int64($0) } }

    private static func hundredths(_ value: Double) -> Int64 { (value * 100).whole }

    private static func thousandths(_ value: Double) -> Int64 { (value * 1000).whole }

    /// Thousandths of metres per second; nil without time.
    private static func speed(_ metres: Double, _ seconds: Double) -> Int64? {
        seconds > 0 ? thousandths(metres / seconds) : nil
    }
}

/// A sport and its sub-sport in the FIT profile.
private struct Sport {
    var number: Int64
    var subSport: Int64
}

extension MachineKind {
    fileprivate var sport: Sport {
        switch self {
        case .rower: Sport(number: 15, subSport: 14)  // rowing, indoor_rowing
        case .ski: Sport(number: 12, subSport: 25)  // cross_country_skiing, indoor_skiing
        case .bike: Sport(number: 2, subSport: 6)  // cycling, indoor_cycling
        }
    }
}
