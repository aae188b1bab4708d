import Foundation
import TestSupport
import Testing

@testable import Bytes
@testable import Contract
@testable import DeliveryProof
@testable import LogbookStores

/// Records of the approved golden files, through the logbook's validation.
@Suite struct GoldenRecordTests {
    /// Messages of durable topics in the golden files of all tests, with their file.
    private static func messages() throws -> [(file: String, message: MessageLines.Message)] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        var found: [(String, MessageLines.Message)] = []
        for target in try FileManager.default.contentsOfDirectory(atPath: tests.path) {
            let folder = tests.appending(path: "\(target)/Golden")
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for file in files where file.hasSuffix(".jsonl") {
                let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
                for line in TextLines.all(in: bytes) {
                    guard let message = message(Array(line)) else { continue }
                    found.append(("\(target)/\(file)", message))
                }
            }
        }
        return found
    }

    /// From a line with a topic, or from a stored record.
    private static func message(_ line: [UInt8]) -> MessageLines.Message? {
        var lines = MessageLines()
        if let message = lines.consume(line + [UInt8(ascii: "\n")]).first { return message }
        guard let fields = try? JSONObject(parsing: line), fields.number("seq") != nil,
            let gateway = fields.text("gw").flatMap({ GatewayID($0) }),
            let kind = fields.text("kind").flatMap(StreamKind.init(topicName:))
        else { return nil }
        let stream = StreamID(station: fields.text("erg").flatMap { StationID($0) }, kind: kind)
        return MessageLines.Message(
            topic: TopicMap(gateway: gateway, below: .standard).topic(of: stream),
            payload: RecordEncoder.published(line, historical: true))
    }

    @Test func acceptsEveryApprovedRecord() throws {
        var kinds: Set<StreamKind> = []
        var files: Set<String> = []
        for (file, message) in try Self.messages() {
            guard let (gateway, content) = TopicPrefix.standard.parse(message.topic),
                case .record(let stream) = content
            else { continue }
            do throws(RecordDefect) {
                _ = try ValidatedRecord(message.payload, of: stream, from: gateway)
            } catch {
                let text = String(decoding: message.payload, as: UTF8.self)
                Issue.record("\(file): \(error.reason): \(text)")
            }
            kinds.insert(stream.kind)
            files.insert(file)
        }
        #expect(files.count >= 3, "\(files)")
        #expect(kinds.isSuperset(of: [.session, .stroke, .force, .split, .summary, .manifest]))
    }
}
