import Bytes
import CommandLineText
import DeliveryProof
import LogbookStores

/// Compares two stores by their answers: the numbers of each stream, records byte for byte, sessions,
/// conflicts and other data.
package struct StoreComparison: Equatable, Sendable {
    /// Descriptions of the differences; empty if the stores are equal.
    package private(set) var differences: [String] = []
    package private(set) var streams = 0
    package private(set) var records: UInt64 = 0
    package private(set) var sessions = 0

    /// Records per read.
    private static let part = 5000

    /// Reads both stores completely.
    package init(_ left: any LogbookStore, _ right: any LogbookStore) throws(StoreFailure) {
        let states = (try left.streams(), try right.streams())
        if states.0.map(\.stream) != states.1.map(\.stream) {
            differences.append("different streams")
            return
        }
        streams = states.0.count
        for (state, other) in zip(states.0, states.1) {
            let name = "\(state.stream.label), epoch \(state.stream.epoch)"
            if state != other { differences.append("\(name): different numbers are stored") }
            let found = (
                try Self.digest(of: state.stream, in: left),
                try Self.digest(of: state.stream, in: right)
            )
            records += found.0.count
            if found.0 != found.1 {
                differences.append(
                    "\(name): \(found.0.count) records with SHA-256 \(found.0.digest), and "
                        + "\(found.1.count) with \(found.1.digest)")
            }
        }
        let filter = SessionFilter(limit: Int(Int32.max))
        let list = (try left.sessions(filter), try right.sessions(filter))
        sessions = list.0.count
        if list.0 != list.1 { differences.append("different sessions") }
        if try left.conflicts(limit: .max) != right.conflicts(limit: .max) {
            differences.append("different conflicts")
        }
        if try left.suggestions(of: nil) != right.suggestions(of: nil) {
            differences.append("different responses to suggestions")
        }
        if try left.heartLimits(of: nil) != right.heartLimits(of: nil) {
            differences.append("different heart rate limits of athletes")
        }
        if try left.statusMessages() != right.statusMessages() {
            differences.append("different status messages of gateways")
        }
        let numbers = (try left.noticeNumbers(), try right.noticeNumbers())
        let all = Int(Int32.max)
        let notices = (
            try left.notices(after: 0, limit: all), try right.notices(after: 0, limit: all)
        )
        if numbers.0 != numbers.1 || notices.0 != notices.1 {
            differences.append("different notices")
        }
        if try left.plans() != right.plans() {
            differences.append("different training plans")
        }
        if try left.corrections(of: nil) != right.corrections(of: nil) {
            differences.append("different corrections of athletes")
        }
        let profiles = (try left.profiles(), try right.profiles())
        let groups = (try left.groups(), try right.groups())
        if profiles.0 != profiles.1 || groups.0 != groups.1 {
            differences.append("different athletes or groups")
        }
        let merges = (try left.merges.all(), try right.merges.all())
        let merged = (try left.merges.sessions(), try right.merges.sessions())
        if merges.0 != merges.1 || !merged.0.elementsEqual(merged.1, by: ==) {
            differences.append("different merges of athletes")
        }
        let users = (try left.users.all(), try right.users.all())
        let devices = (try left.users.devices(), try right.users.devices())
        if users.0 != users.1 || devices.0 != devices.1 {
            differences.append("different users or devices")
        }
        if try left.pieceLinks.all() != right.pieceLinks.all() {
            differences.append("different shared links")
        }
        if try left.raceDocuments.all() != right.raceDocuments.all() {
            differences.append("different races or regattas")
        }
        if try left.pieceAdditions.all() != right.pieceAdditions.all() {
            differences.append("different results that coaches added")
        }
        if try left.uploads.all() != right.uploads.all() {
            differences.append("different uploads to other services")
        }
    }

    /// Digest of a stream's numbers and records, in order.
    private struct Digest: Equatable {
        var count: UInt64
        var digest: String
    }

    private static func digest(
        of stream: StoredStream, in store: any LogbookStore
    ) throws(StoreFailure) -> Digest {
        var digest = SHA256Digest()
        var (count, next): (UInt64, UInt64) = (0, 0)
        while case let records = try store.records(
            of: stream, in: next...UInt64(Int64.max), limit: part), let last = records.last
        {
            for record in records {
                digest.update(Array("\(record.sequence) \(record.stored.count) ".utf8))
                digest.update(record.stored)
            }
            count += UInt64(records.count)
            next = last.sequence + 1
        }
        return Digest(count: count, digest: digest.hexadecimal())
    }

    /// The verdict first, then the differences.
    package var lines: [StyledLine] {
        guard !differences.isEmpty else {
            let counts = "\(records.counted("record")) of \(streams.counted("stream")), "
            return [
                StyledLine("EQUAL", .good)
                    + StyledLine(": \(counts)\(sessions.counted("session")), byte for byte")
            ]
        }
        return [StyledLine("DIFFERENT", .bad)]
            + differences.map { StyledLine("  ") + StyledLine($0) }
    }
}
