import Bytes
import PM5Codec
import Testing

@Suite struct ByteCoderTests {
    @Test func readsEachWidthInBothOrders() throws {
        // One pattern, read with each width.
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint16() } == 0x0201)
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint16(.big) } == 0x0102)
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint24() } == 0x03_0201)
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint24(.big) } == 0x01_0203)
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint32() } == 0x0403_0201)
        #expect(try bytes.withReader { r throws(DecodeError) in try r.uint32(.big) } == 0x0102_0304)
        #expect(
            try bytes.withReader { r throws(DecodeError) in try r.uint64() }
                == 0x0807_0605_0403_0201)
    }

    @Test func roundTripsEachWidth() throws {
        // Extremes of each width in both orders.
        for order in [ByteOrder.little, .big] {
            var writer = ByteWriter(appendingTo: [0xAA])
            writer.uint16(0xFFFE, order)
            writer.uint24(0xFF_FFFD, order)
            writer.uint32(0xFFFF_FFFC, order)
            writer.uint64(0x0102_0304_0506_0708, order)
            #expect(writer.bytes.count == 1 + 2 + 3 + 4 + 8)
            try writer.bytes.withReader { reader throws(DecodeError) in
                #expect(try reader.uint8() == 0xAA)
                #expect(try reader.uint16(order) == 0xFFFE)
                #expect(try reader.uint24(order) == 0xFF_FFFD)
                #expect(try reader.uint32(order) == 0xFFFF_FFFC)
                #expect(try reader.uint64(order) == 0x0102_0304_0506_0708)
                #expect(reader.remaining == 0)
            }
        }
    }

    @Test func readsFieldsLikeByteReader() throws {
        // Each width. The first reader continues after the fields.
        let bytes: [UInt8] = Array(1...20)
        try bytes.withReader { reader throws(DecodeError) in
            var fields = try reader.fields(18)
            #expect(fields.uint8() == 0x01)
            #expect(fields.uint16() == 0x0302)
            #expect(fields.uint24() == 0x06_0504)
            #expect(fields.uint32() == 0x0A09_0807)
            #expect(fields.uint64() == 0x1211_100F_0E0D_0C0B)
            #expect(reader.offset == 18)
            #expect(try reader.uint16() == 0x1413)
        }
        #expect(throws: DecodeError.truncated(needed: 21, had: 20)) {
            try bytes.withReader { reader throws(DecodeError) in _ = try reader.fields(21) }
        }
    }

    @Test func readsEmptyBuffer() throws {
        // A buffer without an address.
        var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(reader.remaining == 0)
        #expect(try reader.slice(0).isEmpty)
        #expect(throws: DecodeError.truncated(needed: 1, had: 0)) { try reader.uint8() }
    }

    @Test func reportsBothLengthsPastTheEnd() {
        // A field that begins inside and ends outside.
        #expect(throws: DecodeError.truncated(needed: 5, had: 4)) {
            try [UInt8](repeating: 0, count: 4).withReader { reader throws(DecodeError) in
                try reader.skip(2)
                return try reader.uint24()
            }
        }
    }

    @Test func printsExactDecimals() {
        // Edge cases, without binary fractions.
        #expect(FieldValue.number(380, decimals: 2).json == "3.80")
        #expect(FieldValue.number(5, decimals: 3).json == "0.005")
        #expect(FieldValue.number(-5, decimals: 1).json == "-0.5")
        #expect(FieldValue.number(-100, decimals: 0).json == "-100")
        #expect(FieldValue.text("a\"\\\n").json == "\"a\\\"\\\\\\u000a\"")
        let object = FieldValue.object([Field("a", .null), Field("b", .integers([1, 2] as [Int]))])
        #expect(object.json == "{\"a\":null,\"b\":[1,2]}")
    }
}
