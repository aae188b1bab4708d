import Bytes
import Foundation
import TestSupport
import Testing

@testable import RingLog

/// The listing of a ring by a reader: identical from ours and from the one in Python, which was written
/// from LogFormat.md alone.
struct RingListing {
    /// Records of the caller, and gaps, in order.
    var items: [String] = []
    /// Where the log ends, how it was left, its cursor and the digest of its newest snapshot.
    var end = ""
    /// Why the file cannot be read, with the offset and the remedy.
    var error: String?

    /// As the reader and the recovery of this program find it.
    init(ours image: [UInt8]) throws {
        do throws(RingLogError) {
            try read(image)
        } catch {
            self.error = error.description
        }
    }

    private mutating func read(_ image: [UInt8]) throws(RingLogError) {
        var reader = try LogReader(device: CrashingBlockDevice(image), from: .zero)
        while let item = try reader.next() { items.append(Self.line(item)) }
        let (writer, report) = try LogWriter.open(
            device: CrashingBlockDevice(image), geometry: smallGeometry, newEpoch: epoch)
        end = Self.end(
            writer.end.rawValue, report.wasClosed, writer.consumed.rawValue, report.tornBytes,
            report.snapshot.map(digest))
    }

    private static func line(_ item: LogItem) -> String {
        switch item {
        case .record(let record): recordLine(record.position, record.kind, record.bytes)
        case .gap(let gap): "\(gap.range.lowerBound)..<\(gap.range.upperBound) \(gap.reason)"
        }
    }

    static func recordLine(_ position: LogPosition, _ kind: UInt8, _ bytes: [UInt8]) -> String {
        "\(position) \(kind) \(bytes.count) \(digest(bytes))"
    }

    private static func end(
        _ position: UInt64, _ isClosed: Bool, _ consumed: UInt64, _ torn: Int, _ snapshot: String?
    ) -> String {
        "\(position), closed \(isClosed), consumed \(consumed), torn \(torn), \(snapshot ?? "none")"
    }

    /// One line of the reader in Python.
    private struct Line: Decodable {
        let type, file: String
        let position, from, to, consumed, offset: UInt64?
        let kind: UInt8?
        let length, torn: Int?
        let sha256, reason, snapshot, error, remedy: String?
        let closed: Bool?
    }

    private init() {}

    /// As the reader in Python finds them, all in one process.
    static func readByPython(_ images: [[UInt8]]) async throws -> [RingListing] {
        let folder = try TemporaryFolder()
        let paths = images.indices.map { folder.path("\($0).ring") }
        for (path, image) in zip(paths, images) {
            try Data(image).write(to: URL(fileURLWithPath: path))
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/ring_reader.py").path
        let python = try ChildProcess("python3", ["-B", script] + paths)
        _ = try #require(await python.waitForExit(within: .seconds(400)))
        var listings: [String: RingListing] = [:]
        for text in python.lines {
            let line = try #require(
                try? JSONDecoder().decode(Line.self, from: Data(text.utf8)), "\(text)")
            listings[line.file, default: RingListing()].add(line)
        }
        return try paths.map { try #require(listings[$0]) }
    }

    private mutating func add(_ line: Line) {
        switch line.type {
        case "record":
            guard LogFormat.callerKinds.contains(line.kind!) else { return }
            items.append("\(line.position!) \(line.kind!) \(line.length!) \(line.sha256!)")
        case "gap": items.append("\(line.from!)..<\(line.to!) \(line.reason!)")
        case "end":
            end = Self.end(
                line.position!, line.closed!, line.consumed!, line.torn!, line.snapshot)
        case "error": error = "\(line.error!) at \(line.offset!): \(line.remedy!)"
        default: break
        }
    }

    /// The first thing that another reader found otherwise. Why a file is refused may differ.
    func difference(from other: RingListing) -> String? {
        guard error == nil, other.error == nil else {
            return error != nil && other.error != nil
                ? nil : "\(error ?? "no error"), other \(other.error ?? "no error")"
        }
        guard items == other.items else {
            let equal = zip(items, other.items).prefix { $0 == $1 }.count
            return """
                \(items.dropFirst(equal).prefix(3)), other \
                \(other.items.dropFirst(equal).prefix(3))
                """
        }
        return end == other.end ? nil : "\(end), other \(other.end)"
    }
}

func digest(_ bytes: [UInt8]) -> String {
    var digest = SHA256Digest()
    digest.update(bytes)
    return digest.hexadecimal()
}
