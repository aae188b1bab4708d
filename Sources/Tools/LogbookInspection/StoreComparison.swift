import CommandLineText
import DeliveryProof
import HostRuntime
import LogbookStores

/// Two stores held against each other, by what each says when it is asked: each stream's numbers, its
/// records byte for byte, sessions, and what came twice.
package struct StoreComparison: Equatable, Sendable {
    /// What is different, in words; nothing where both hold the same.
    package private(set) var differences: [String] = []
    package private(set) var streams = 0
    package private(set) var records: UInt64 = 0
    package private(set) var sessions = 0

    /// Records that are read at a time.
    private static let part = 5000

    /// Reads all of both.
    package init(_ left: any LogbookStore, _ right: any LogbookStore) throws(StoreFailure) {
        let states = (try left.streams(), try right.streams())
        if states.0.map(\.stream) != states.1.map(\.stream) {
            differences.append("they have not the same streams")
            return
        }
        streams = states.0.count
        for (state, other) in zip(states.0, states.1) {
            let name = "\(state.stream.words), epoch \(state.stream.epoch)"
            if state != other { differences.append("\(name): not the same numbers are noted") }
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
        if list.0 != list.1 { differences.append("their sessions are not the same") }
        if try left.conflicts(limit: .max) != right.conflicts(limit: .max) {
            differences.append("not the same came with another content")
        }
        if try left.suggestions(of: nil) != right.suggestions(of: nil) {
            differences.append("not the same was said of suggestions")
        }
        if try left.hearts(of: nil) != right.hearts(of: nil) {
            differences.append("not the same heart rates were given of athletes")
        }
        if try left.words() != right.words() {
            differences.append("gateways have not said the same of themselves")
        }
        let numbers = (try left.noticeNumbers(), try right.noticeNumbers())
        let all = Int(Int32.max)
        let notices = (
            try left.notices(after: 0, limit: all), try right.notices(after: 0, limit: all)
        )
        if numbers.0 != numbers.1 || notices.0 != notices.1 {
            differences.append("they have not said the same themselves")
        }
        if try left.plans() != right.plans() {
            differences.append("their training plans are not the same")
        }
    }

    /// Of the numbers and records of a stream, in order.
    private struct Digest: Equatable {
        var count: UInt64
        var digest: String
    }

    private static func digest(
        of stream: StoredStream, in store: any LogbookStore
    ) throws(StoreFailure) -> Digest {
        let digest = SHA256Digest()
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

    /// The verdict first, then what is behind it.
    package var lines: [StyledLine] {
        guard !differences.isEmpty else {
            let counts = "\(records.counted("record")) of \(streams.counted("stream")), "
            return [
                StyledLine("THE SAME", .good)
                    + StyledLine(": \(counts)\(sessions.counted("session")), byte for byte")
            ]
        }
        return [StyledLine("NOT THE SAME", .bad)]
            + differences.map { StyledLine("  ") + StyledLine($0) }
    }
}
