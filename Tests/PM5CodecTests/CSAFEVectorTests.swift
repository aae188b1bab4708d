import PM5Codec
import Testing

@Suite struct CSAFEVectorTests {
    @Test func decodesEveryVector() throws {
        // Each named field must match independent parsers.
        for vector in try Vector.all(in: "csafe.jsonl") {
            let isResponse = vector.expect["response"] != nil
            let fields = FrameReport.fields(
                of: vector.bytes, from: isResponse ? .monitor : nil)
            #expect(disagreements(fields, vector.expect) == [], "\(vector.id)")
        }
    }

    @Test func encodesEveryFrame() throws {
        // Every valid frame and every request.
        for vector in try Vector.all(in: "csafe.jsonl") {
            let answers = vector.expect["valid"] as? Bool == true ? [vector.bytes] : []
            for bytes in try vector.requests + answers {
                #expect(try Frame(decoding: bytes).bytes == bytes, "\(vector.id)")
            }
        }
    }

    @Test func encodesParsedRequestsUnchanged() throws {
        // Every request of a host.
        for vector in try Vector.all(in: "csafe.jsonl") {
            var requests = try vector.requests
            let isRequest =
                vector.characteristic == "0x21" && vector.expect["valid"] as? Bool == true
            if isRequest { requests.append(vector.bytes) }
            for bytes in requests {
                let frame = try Frame(decoding: bytes)
                let commands = try Command.parse(frame.contents)
                let rebuilt = Frame(commands: commands, addresses: frame.addresses)
                #expect(rebuilt == frame, "\(vector.id)")
            }
        }
    }

    @Test func encodesParsedResponsesUnchanged() throws {
        // Whole captured responses.
        for vector in try Vector.all(in: "csafe.jsonl") where vector.expect["response"] != nil {
            let frame = try Frame(decoding: vector.bytes)
            let response = try Response(frame)
            guard response.isTruncated == false else { continue }
            #expect(response.frame(addresses: frame.addresses) == frame, "\(vector.id)")
            for reply in response.replies {
                guard let wrapper = reply.wrapper else { continue }
                #expect(Reply(wrapper, reply.inner) == reply, "\(vector.id)")
            }
        }
    }
}
