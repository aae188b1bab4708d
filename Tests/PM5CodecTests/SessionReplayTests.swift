import Foundation
import PM5Codec
import TestSupport
import Testing

@Suite struct SessionReplayTests {
    /// Without those of the simulator, which pads the pieces of a curve inside 0x0080.
    private static let sessions = Result {
        try Recordings.sessions().filter { !$0.path.hasSuffix(".in.jsonl") }
    }

    @Test(arguments: try sessions.get())
    func decodesWholeSession(session: URL) throws {
        // Notifications are decoded and encoded to the same bytes. Each direction of CSAFE has its parser,
        // and every frame is decoded.
        var notifications = 0
        var received = FrameParser()
        var sent = FrameParser()
        var frames = 0
        var toggle: Bool?
        for (characteristic, direction, bytes) in try lines(of: session) {
            let id = CharacteristicID(rawValue: characteristic)
            switch (id, direction) {
            case (.csafeOut, "rx"):
                for event in received.consume(bytes) {
                    frames += 1
                    let response = try Response(frame(event))
                    #expect(response.status.isAccepted)
                    #expect(response.isTruncated == false)
                    #expect(response.status.toggle != toggle)
                    toggle = response.status.toggle
                }
            case (.csafeIn, _):
                for event in sent.consume(bytes) {
                    frames += 1
                    let request = try frame(event)
                    #expect(Frame(commands: try Command.parse(request.contents)) == request)
                }
            case (_, "rx"):
                notifications += 1
                let decoded = try decode(id, bytes).get()
                #expect(decoded.extraBytes == 0)
                #expect(decoded.value.payload.notificationBytes(carrier: decoded.carrier) == bytes)
            default: continue
            }
        }
        #expect(received.isInsideFrame == false)
        print("\(session.lastPathComponent): \(notifications) notifications, \(frames) frames")
        #expect(notifications > 100)
    }

    private func frame(_ event: FrameParser.Event) throws -> Frame {
        switch event {
        case .frame(let frame): return frame
        case .fault(let fault): throw fault
        }
    }

    private func lines(of session: URL) throws -> [(UInt16, String, [UInt8])] {
        try String(contentsOf: session, encoding: .utf8).split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let name = try #require(object?["characteristic"] as? String)
            let id = try #require(UInt16(name.dropFirst(2), radix: 16), "\(name)")
            let hex = try #require(object?["hex"] as? String)
            let bytes = try #require(hexBytes(hex))
            return (id, try #require(object?["dir"] as? String), bytes)
        }
    }
}
