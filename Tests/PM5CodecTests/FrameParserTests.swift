import TestSupport
import Testing

@testable import PM5Codec

@Suite struct FrameParserTests {
    /// Valid frames of the vector file.
    private func frames() throws -> [[UInt8]] {
        try Vector.all(in: "csafe.jsonl").filter { $0.expect["valid"] as? Bool == true }
            .map(\.bytes)
    }

    @Test func findsFramesForAnyPieceLength() throws {
        // All vectors joined; then parsed whole, byte by byte and in pieces of every length up to 41.
        let frames = try frames()
        let stream = Array(frames.joined())
        let expected = try frames.map { FrameParser.Event.frame(try Frame(decoding: $0)) }
        for length in [1, 2, 3, 7, 19, 20, 41, stream.count] {
            var parser = FrameParser()
            var events: [FrameParser.Event] = []
            for start in stride(from: 0, to: stream.count, by: length) {
                events += parser.consume(stream[start..<min(start + length, stream.count)])
            }
            #expect(events == expected, "pieces of \(length)")
            #expect(parser.noiseBytes == 0)
            #expect(parser.isInsideFrame == false)
        }
    }

    @Test func splitsFramesIntoTwentyBytes() throws {
        // Splits every vector, joins it and compares.
        for bytes in try frames() {
            let pieces = try Frame(decoding: bytes).pieces
            #expect(pieces.dropLast().allSatisfy { $0.count == 20 })
            #expect(pieces.allSatisfy { (1...20).contains($0.count) })
            #expect(Array(pieces.joined()) == bytes)
        }
    }

    @Test func countsNoiseBetweenFrames() throws {
        // Zeros, a stop flag and an escape.
        var parser = FrameParser()
        let events = parser.consume([
            0x00, 0xF1, 0x81, 0x81, 0xF2, 0x00, 0xF2, 0xF3, 0xF1, 0x01, 0x01, 0xF2,
        ])
        #expect(events == [.frame(Frame(contents: [0x81])), .frame(Frame(contents: [0x01]))])
        #expect(parser.noiseBytes == 4)
    }

    @Test func beginsNewFrameAtStartFlag() {
        // A truncated frame, then another one.
        var parser = FrameParser()
        let events = parser.consume([0xF1, 0x81, 0x76, 0xF3, 0xF0, 0xFD, 0x00, 0x81, 0x81, 0xF2])
        #expect(
            events == [
                .fault(.noStopFlag(discarded: 2)),
                .frame(Frame(contents: [0x81], addresses: Frame.Addresses())),
            ])
    }

    @Test(
        arguments: [
            ("f1f2", .tooShort(0)), ("f0fdf2", .tooShort(1)), ("f0fd00f2", .tooShort(2)),
            ("f18180f2", .checksum(expected: 0x81, found: 0x80)), ("f1f304f2", .badEscape(4)),
            ("f181f3f2", .badEscape(0xF2)), ("f1f3f300f2", .badEscape(0xF3)),
            ("f181", .noStopFlag(discarded: 1)), ("f181f3", .noStopFlag(discarded: 1)),
        ] as [(String, FrameFault)])
    func reportsCauseOfFault(hex: String, fault: FrameFault) throws {
        let bytes = try #require(hexBytes(hex))
        #expect(throws: fault) { try Frame(decoding: bytes) }
    }

    @Test func recoversAfterEveryFault() throws {
        // Each byte of a frame set to each value, followed by a valid frame.
        let good = Frame(contents: [0x01, 0x76, 0x02, 0x01, 0x13])
        let original = Frame(contents: [0x81, 0xF0, 0x76, 0x01, 0x13]).bytes
        for index in original.indices {
            for value in UInt8.min...UInt8.max {
                var bytes = original
                bytes[index] = value
                var parser = FrameParser()
                #expect(parser.consume(bytes + good.bytes).last == .frame(good))
            }
        }
    }

    @Test func rejectsContentBeyondCapacity() {
        // The capacity, and one byte more.
        var parser = FrameParser()
        #expect(parser.consume(0xF1) == nil)
        #expect(parser.consume(repeatElement(0x55, count: FrameParser.capacity)) == [])
        #expect(parser.consume(0x55) == .fault(.tooLong(limit: FrameParser.capacity)))
        #expect(parser.consume([0x00, 0xF2]) == [])
        #expect(parser.noiseBytes == 2)
    }

    @Test func readsFramesLongerThan120Bytes() throws {
        // 500 bytes of every value, in both directions.
        let frame = Frame(contents: (0..<500).map { UInt8(truncatingIfNeeded: $0) })
        #expect(frame.encodedLength == frame.bytes.count)
        #expect(try Frame(decoding: frame.bytes) == frame)
    }

    @Test(arguments: [11, 12] as [UInt64])
    func roundTripsRandomContents(seed: UInt64) throws {
        // Random contents with many reserved bytes.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0...200, using: &generator)
            let contents = (0..<count).map { _ in UInt8.random(in: 0xE8...0xFF, using: &generator) }
            let addresses =
                Bool.random(using: &generator)
                ? Frame.Addresses(destination: 0xF2, source: 0xF0) : nil
            let frame = Frame(contents: contents, addresses: addresses)
            #expect(frame.encodedLength == frame.bytes.count)
            #expect(frame.bytes.dropFirst().dropLast().allSatisfy { !(0xF0...0xF2).contains($0) })
            #expect(try Frame(decoding: frame.bytes) == frame)
        }
    }

    @Test(arguments: [13, 14] as [UInt64])
    func neverTrapsOnRandomBytes(seed: UInt64) {
        // Random bytes with many flags. Every frame found is decoded as commands and as a response.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var parser = FrameParser()
        var found = 0
        for _ in 0..<200_000 {
            let byte =
                Bool.random(using: &generator)
                ? UInt8.random(in: 0xF0...0xF3, using: &generator)
                : [0x00, 0x01, 0x1A, 0x6B, 0x76, 0x7E, 0x81].randomElement(using: &generator) ?? 0
            guard case .frame(let frame) = parser.consume(byte) else { continue }
            found += 1
            _ = FrameReport.fields(of: frame.bytes, from: .monitor)
            _ = try? Command.parse(frame.contents)
        }
        #expect(found > 300)
    }
}
