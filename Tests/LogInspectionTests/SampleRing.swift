import Foundation
import PM5Codec
import RingLog
import TestSupport
import Timeline

@testable import Contract
@testable import LogInspection
@testable import Rowing

/// A ring file whose content is known to the byte.
final class SampleRing {
    /// 2026-09-05T17:00:00.000Z
    static let unixAtBoot: Int64 = 1_788_627_600_000
    static let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")

    let folder: TemporaryFolder
    let path: String
    let writer: LogWriter
    private var encoder = RecordEncoder()
    private var next: [StreamID: UInt64] = [:]

    init(segments: Int = 8, pagesPerSegment: Int = 8) throws {
        folder = try TemporaryFolder()
        path = folder.path("ring.log")
        let device = try FileBlockDevice.writing(path: path)
        (writer, _) = try LogWriter.open(
            device: device,
            geometry: LogGeometry(
                segmentSize: pagesPerSegment * LogFormat.pageSize, segmentCount: segments),
            newEpoch: Array(1...16))
    }

    var file: LogFile { get throws { try LogFile(path: path) } }

    static func station(_ slug: String) -> StationID {
        guard let station = StationID(slug) else { preconditionFailure("\(slug) is no slug") }
        return station
    }

    static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// Appends a record of `erg` at a time in milliseconds since boot.
    func add(
        _ body: some RecordBody, erg: String? = "seat-3", at milliseconds: Int,
        sequence: UInt64? = nil, athlete: String? = nil
    ) throws {
        let station = erg.map(Self.station)
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        let number = sequence ?? next[stream, default: 1]
        next[stream] = number + 1
        let clock = WallClock(
            bootID: "5b1f", unixMillisecondsAtBoot: Self.unixAtBoot, isSynchronized: true)
        let unix = Self.unixAtBoot + Int64(milliseconds)
        let head = RecordHead(
            gateway: GatewayID("boathouse")!, stream: stream, epoch: "01J0EP0CH000000000000000AA",
            sequence: number,
            time: TimeStamp(unixMilliseconds: unix, unsynchronized: nil))
        let payload = encoder.encode(
            body, head: head, context: RecordContext(athlete: athlete, clock: clock))
        try append(
            .message(
                DurableMessage(
                    kind: stream.kind, station: station, sequence: number,
                    unixMilliseconds: UInt64(unix), bootMilliseconds: UInt64(milliseconds),
                    payload: payload)))
    }

    func add(
        raw bytes: [UInt8], of id: CharacteristicID, erg: String = "seat-3", at milliseconds: Int
    ) throws {
        try append(
            .notification(
                RawNotification(
                    station: Self.station(erg), characteristic: id,
                    bootMilliseconds: UInt64(milliseconds), bytes: bytes)))
    }

    func append(_ entry: RingEntry) throws {
        try writer.append(kind: RingRecordKind.entry, bytes: entry.encode())
        try writer.flush()
    }

    static func edge(
        _ kind: SessionTransition.Kind, at milliseconds: Int, of session: SessionID = session
    ) -> SessionTransition {
        SessionTransition(
            kind: kind, session: session, startedAt: instant(10_000),
            workout: Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(500))),
            at: instant(milliseconds))
    }

    static func stroke(_ number: Int, of session: SessionID = session) -> Stroke {
        var stroke = Stroke(
            session: session, at: instant(10_000 + number * 2500), number: number,
            elapsed: .milliseconds(number * 2500), distance: Meters(Int64(number) * 10))
        stroke.strokeRate = 24
        stroke.powerWatts = 180 + number
        stroke.pace = Pace(centisecondsPer500m: 12_500)
        return stroke
    }

    static func curve(_ number: Int) -> ForceCurve {
        ForceCurve(
            session: session, at: instant(10_000), stroke: number, isComplete: true,
            poundsForce: [10, 80, 120, 60])
    }

    /// Two ergs, a session of three strokes on one of them, an event, and values of the wire.
    func appendPiece() throws {
        try add(GatewayEvent.gatewayStarted(version: "1.0.0"), erg: nil, at: 5000)
        try add(raw: Array("430000001".utf8), of: .serialNumber, at: 9000)
        try add(raw: [0], of: .ergMachineType, at: 9000)
        try add(raw: [1, 2, 3], of: .generalStatus, at: 9500)
        try add(Self.edge(.started, at: 10_000), at: 10_000, athlete: "ann")
        for number in 1...3 {
            try add(raw: [0xF1, UInt8(number), 0xF2], of: .csafeIn, at: 9900 + number * 2500)
            try add(raw: [UInt8(number)], of: .strokeData, at: 10_000 + number * 2500)
            try add(Self.stroke(number), at: 10_000 + number * 2500, athlete: "ann")
            try add(Self.curve(number), at: 10_010 + number * 2500)
            try add(Self.stroke(number), erg: "seat-4", at: 10_500 + number * 2500)
        }
        try append(.checkpoint(station: Self.station("seat-3"), bytes: [1, 2, 3]))
        try add(Self.edge(.ended, at: 20_000), at: 20_000, athlete: "ann")
        try writer.commit()
    }
}

extension LogFile {
    /// The output of an export as text; parts do not exceed their limit.
    func exported(_ filter: RecordFilter = RecordFilter(), _ format: RecordExport.Format) throws
        -> String
    {
        var bytes: [UInt8] = []
        var export = RecordExport(filter, as: format)
        try export.run(
            on: self, progress: { _ in },
            write: { piece in
                bytes += piece
                piece.removeAll()
            })
        return String(decoding: bytes, as: UTF8.self)
    }

    func recording(
        of station: StationID, _ filter: RecordFilter = RecordFilter()
    ) throws -> String {
        var bytes: [UInt8] = []
        var export = RawExport(of: station, filter)
        try export.run(
            on: self, progress: { _ in },
            write: { piece in
                bytes += piece
                piece.removeAll()
            })
        return String(decoding: bytes, as: UTF8.self)
    }
}
