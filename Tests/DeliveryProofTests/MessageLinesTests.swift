import Testing

@testable import DeliveryProof

@Suite struct MessageLinesTests {
    private static let payload = #"{"v":1,"name":"a \"b\" c"}"#
    private static let text = """
        rowgate/v1/b/erg/1/stroke {"v":1,"name":"a \\"b\\" c"}
        {"tst":"2026","topic":"rowgate/v1/b/erg/1/stroke","qos":1,"retain":0,"payloadlen":9,\
        "payload":"{\\"v\\":1,\\"name\\":\\"a \\\\\\"b\\\\\\" c\\"}"}
        {"topic":"rowgate/v1/b/erg/1/stroke","payload":{"v":1,"name":"a \\"b\\" c"}}

        what is this
        {"no":"topic"}
        rowgate/v1/b/availability online\r
        """

    @Test(arguments: [1, 7, 10_000])
    func decodesEachLineFormToTheSameBytes(pieceLength: Int) {
        var lines = MessageLines()
        var messages: [MessageLines.Message] = []
        var rest = Array(Self.text.utf8)[...]
        while !rest.isEmpty {
            messages += lines.consume(rest.prefix(pieceLength))
            rest = rest.dropFirst(pieceLength)
        }
        if let last = lines.finish() { messages.append(last) }
        #expect(messages.count == 4)
        for message in messages.prefix(3) {
            #expect(message.topic == "rowgate/v1/b/erg/1/stroke")
            #expect(String(decoding: message.payload, as: UTF8.self) == Self.payload)
        }
        #expect(messages.last?.payload == Array("online".utf8))
        #expect(lines.unreadable == 2)
    }
}
