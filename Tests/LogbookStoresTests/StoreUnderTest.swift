import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// The stores on which the suites run.
enum StoreUnderTest: String, CustomTestStringConvertible {
    case sqlite, postgres

    /// The stores that are installed on this machine.
    static let allCases: [Self] = [.sqlite] + (InstalledPrograms.areAllowed ? [.postgres] : [])

    var testDescription: String { rawValue }

    /// Creates a location for a new store.
    func place() async throws -> StorePlace {
        switch self {
        case .sqlite:
            let folder = try StoreFolders.make()
            return StorePlace { access throws(StoreFailure) in
                try SQLiteStore(folder.path("logbook.db"), for: access)
            }
        case .postgres:
            let address = try PostgreSQLAddress(
                try await PrivatePostgreSQL.shared.value.makeDatabase())
            return StorePlace { access throws(StoreFailure) in
                try PostgreSQLStore(address, for: access)
            }
        }
    }
}

/// Folders of stores. They must outlive each use of a store, so they are removed when the process ends.
private enum StoreFolders {
    private static let all = Mutex<[TemporaryFolder]>([])
    private static let removal: Void = {
        atexit {
            StoreFolders.all.withLock { folders in
                for folder in folders { try? FileManager.default.removeItem(atPath: folder.path) }
            }
        }
    }()

    static func make() throws -> TemporaryFolder {
        _ = removal
        let folder = try TemporaryFolder()
        all.withLock { $0.append(folder) }
        return folder
    }
}

/// The location of a store, which can be opened several times.
struct StorePlace {
    let open: (SQLStore.Access) throws(StoreFailure) -> any LogbookStore
}

extension StoreBatch {
    /// From messages as published by gateways.
    init(_ messages: [Traffic.Message], now: Int64 = 1_788_627_100_000) throws {
        self.init(records: try messages.map { try ValidatedRecord($0) }, now: now)
    }
}

extension ValidatedRecord {
    init(_ message: Traffic.Message) throws {
        let (gateway, _) = try #require(TopicPrefix.standard.parse(message.topic))
        try self.init(message.payload, of: try #require(message.stream), from: gateway)
    }
}

extension Traffic {
    /// A record of the gateway with these fields.
    func record(
        _ kind: StreamKind, _ sequence: UInt64, _ fields: String, at time: Int64 = 1_788_627_000_000
    ) throws -> ValidatedRecord {
        let erg = kind.isGatewayOnly ? nil : Self.erg
        let place = erg.map { #""erg":"\#($0)","# } ?? ""
        let head =
            #"{"v":1,"kind":"\#(kind.topicName)","gw":"boathouse",\#(place)"#
            + #""epoch":"\#(epoch)","seq":\#(sequence),"ts_ms":\#(time),"#
        let others = RecordRules.of(kind).required(besides: head + fields)
        return try ValidatedRecord(
            Array((head + fields + others + #","historical":false}"#).utf8),
            of: Self.stream(kind, of: erg), from: gateway)
    }
}

extension RecordRules {
    /// Allowed values for the required fields that a record does not have yet, each after a comma.
    func required(besides record: String) -> String {
        fields.filter { field in
            field.isRequired && field.name != "historical" && !record.contains("\"\(field.name)\":")
        }
        .map { ",\"\($0.name)\":\($0.form.example)" }.joined()
    }
}

extension RecordField.Form {
    /// An allowed value as JSON.
    var example: String {
        switch self {
        case .integer(let range): "\(max(range.lowerBound, min(1, range.upperBound)))"
        case .decimal(let range): "\(max(range.lowerBound, min(1, range.upperBound)))"
        case .flag: "true"
        case .word: #""ok""#
        case .list(let element): "[\(element.example)]"
        case .map: "{}"
        case .text(let form):
            switch form {
            case .ulid: #""01J7ZK3Q5XQ4W8G9T2V6B0C1DE""#
            case .serial: #""430123456""#
            case .bootID: "\"\(String(repeating: "0", count: 32))\""
            case .workoutHash: "\"\(String(repeating: "0", count: 16))\""
            case .sha256: "\"\(String(repeating: "0", count: 64))\""
            case .time: #""2026-09-05T17:04:59.120Z""#
            case .minute: #""2026-09-05T19:04""#
            case .adapter: #""hci0""#
            case .slug, .name, .athlete, .stream, .text: #""ok""#
            }
        }
    }
}

extension Traffic.Message {
    /// Replaces text in the payload.
    func replacing(_ text: String, by other: String) -> Self {
        var message = self
        message.payload = Array(
            String(decoding: payload, as: UTF8.self).replacingText(text, by: other).utf8)
        return message
    }
}

extension String {
    /// Without Foundation's regular expressions.
    func replacingText(_ text: String, by other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}

extension Array where Element == Traffic.Message {
    /// Adds an athlete to those records of a session that may name one.
    func named(_ athlete: String) -> [Traffic.Message] {
        map { message in
            switch message.stream?.kind {
            case .stroke, .split, .summary, .session:
                message.replacing(
                    #""session_id":"#, by: #""athlete_id":"\#(athlete)","session_id":"#)
            default: message
            }
        }
    }
}
