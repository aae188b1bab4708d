import Foundation
import TestSupport
import Testing

@testable import Bytes

@Suite struct JSONWriterTests {
    private static let decimals: [(units: Int64, places: Int, text: String)] = [
        (12345, 2, "123.45"), (5, 2, "0.05"), (-5, 3, "-0.005"), (0, 1, "0.0"), (100, 0, "100"),
        (-100, 1, "-10.0"), (Int64.max, 3, "9223372036854775.807"),
        (Int64.min, 2, "-92233720368547758.08"),
    ]

    @Test(arguments: decimals)
    func writesExactDecimals(units: Int64, places: Int, text: String) {
        // Limits of Int64 and of the number of places.
        var json = JSONWriter()
        json.value(units, places: places)
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    }

    @Test func roundTripsStrings() throws {
        // Random strings through JSONSerialization.
        let seed: UInt64 = 0x6A73_6F6E
        var random = SeededGenerator(seed: seed)
        let alphabet =
            (0..<0x80).map { Character(Unicode.Scalar($0)!) } + Array("éß€𝄞\u{2060}\u{2028}")
        for _ in 0..<500 {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    alphabet.randomElement(using: &random)!
                })
            var json = JSONWriter()
            json.beginObject()
            json.key(text)
            json.value(text)
            json.endObject()
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: String],
                "seed \(seed)")
            #expect(object == [text: text], "seed \(seed)")
        }
    }

    @Test func roundTripsNumbers() throws {
        // Random values of every width through JSONSerialization.
        let seed: UInt64 = 0x6E75_6D73
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let number =
                Int64.random(in: .min ... .max, using: &random)
                >> Int64.random(
                    in: 0...63, using: &random)
            let small = Int64.random(in: -999_999_999...999_999_999, using: &random)
            let places = Int.random(in: 0...4, using: &random)
            var json = JSONWriter()
            json.beginArray()
            json.value(number)
            json.value(UInt64(bitPattern: number))
            json.value(small, places: places)
            json.endArray()
            let array = try #require(
                JSONSerialization.jsonObject(with: Data(json.bytes)) as? [NSNumber])
            #expect(array[0].int64Value == number, "seed \(seed)")
            #expect(array[1].uint64Value == UInt64(bitPattern: number), "seed \(seed)")
            let decimal = Decimal(small) / pow(Decimal(10), places)
            #expect(
                abs(array[2].doubleValue - NSDecimalNumber(decimal: decimal).doubleValue) < 1e-6,
                "seed \(seed)")
        }
    }

    @Test func structure() {
        // Commas only between values; absent fields write nothing.
        var json = JSONWriter()
        json.beginObject()
        json.field("absent", Int?.none)
        json.field("a", 1)
        json.field("gone", String?.none)
        json.key("list")
        json.beginArray()
        json.beginObject()
        json.endObject()
        json.value(true)
        json.beginArray()
        json.endArray()
        json.endArray()
        json.field("b", "x")
        json.endObject()
        #expect(
            String(decoding: json.bytes, as: UTF8.self) == #"{"a":1,"list":[{},true,[]],"b":"x"}"#)
        json.reset()
        json.beginObject()
        json.endObject()
        #expect(String(decoding: json.bytes, as: UTF8.self) == "{}")
    }
}
