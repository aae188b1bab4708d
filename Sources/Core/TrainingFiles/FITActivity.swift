/// A session as a FIT activity: what Garmin Connect and most others take.
///
/// Numbers of messages and fields, and their scales, are those of the FIT profile (21.32): an activity
/// file begins with `file_id` and ends with `activity`; records and laps stand in the order of time.
package struct FITActivity: Sendable {
    /// The file.
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
        /// A manufacturer that has no number.
        static let development: Int64 = 255
        static let timer: Int64 = 0
        static let session: Int64 = 8
        static let lap: Int64 = 9
        static let activity: Int64 = 26
        static let start: Int64 = 0
        static let stop: Int64 = 1
        static let stopAll: Int64 = 4
        static let rowing: Int64 = 15
        static let indoorRowing: Int64 = 14
        static let manual: Int64 = 0
        static let active: Int64 = 0
    }

    private static let timestamp: UInt8 = 253

    package init(_ session: RowedSession) {
        var file = FITWriter()
        let (start, end) = (Self.seconds(session.startedAt), Self.seconds(session.endedAt))
        file.add(
            Message.fileID,
            [
                .init(0, .enumeration, Word.activityFile), .init(1, .uint16, Word.development),
                .init(2, .uint16, 0), .init(4, .uint32, start),
            ])
        Self.add(Word.timer, Word.start, at: start, to: &file)
        var strokes = session.strokes[...]
        for (index, lap) in session.laps.enumerated() {
            let next = index + 1 < session.laps.count ? session.laps[index + 1].startedAt : .max
            while let stroke = strokes.first, stroke.at <= next {
                Self.add(stroke, to: &file)
                strokes.removeFirst()
            }
            Self.add(lap, index, to: &file)
        }
        Self.add(Word.timer, Word.stopAll, at: end, to: &file)
        Self.add(session, from: start, to: end, to: &file)
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

    private static func add(_ stroke: RowedSession.Stroke, to file: inout FITWriter) {
        file.add(
            Message.record,
            [
                .init(timestamp, .uint32, seconds(stroke.at)),
                .init(5, .uint32, hundredths(stroke.distance)),
                .init(3, .uint8, whole(stroke.heartRate)),
                .init(4, .uint8, whole(stroke.strokesPerMinute)),
                .init(6, .uint16, stroke.pace.flatMap { speed(500, $0) }),
                .init(7, .uint16, whole(stroke.watts)),
            ])
    }

    private static func add(_ lap: RowedSession.Lap, _ index: Int, to file: inout FITWriter) {
        file.add(
            Message.lap,
            [
                .init(254, .uint16, Int64(index)),
                .init(timestamp, .uint32, seconds(lap.endedAt)),
                .init(0, .enumeration, Word.lap), .init(1, .enumeration, Word.stop),
                .init(2, .uint32, seconds(lap.startedAt)),
                .init(7, .uint32, thousandths(lap.duration + lap.rest)),
                .init(8, .uint32, thousandths(lap.duration)),
                .init(9, .uint32, hundredths(lap.distance)),
                .init(11, .uint16, whole(lap.calories)),
                .init(13, .uint16, speed(lap.distance, lap.duration)),
                .init(15, .uint8, whole(lap.heartRate)),
                .init(17, .uint8, whole(lap.strokesPerMinute)),
                .init(19, .uint16, whole(lap.watts)),
                .init(23, .enumeration, Word.active), .init(25, .enumeration, Word.rowing),
            ])
    }

    private static func add(
        _ session: RowedSession, from start: Int64, to end: Int64, to file: inout FITWriter
    ) {
        file.add(
            Message.session,
            [
                .init(timestamp, .uint32, end), .init(0, .enumeration, Word.session),
                .init(1, .enumeration, Word.stop), .init(2, .uint32, start),
                .init(5, .enumeration, Word.rowing), .init(6, .enumeration, Word.indoorRowing),
                .init(7, .uint32, session.endedAt - session.startedAt),
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

    /// Seconds since 1989-12-31T00:00:00Z, where FIT's time begins.
    private static func seconds(_ unixMilliseconds: Int64) -> Int64 {
        unixMilliseconds / 1000 - 631_065_600
    }

    private static func whole(_ value: Int?) -> Int64? { value.map { Int64($0) } }

    private static func hundredths(_ value: Double) -> Int64 { (value * 100).whole }

    private static func thousandths(_ value: Double) -> Int64 { (value * 1000).whole }

    /// Thousandths of metres per second; nil of no time.
    private static func speed(_ metres: Double, _ seconds: Double) -> Int64? {
        seconds > 0 ? thousandths(metres / seconds) : nil
    }
}
