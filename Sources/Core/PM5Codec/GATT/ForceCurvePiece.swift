import Bytes

/// 0x003D, a piece of a force curve: several notifications per stroke.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 1 | high nibble pieces in this curve, low nibble words in this piece | 1 | at most 15, 9 |
/// | 1 | 1 | sequence number | 1 | 0-based |
/// | 2 | 2 each | force | 1 lbf | |
///
/// Multiplexed: the same. Nine words then need 21 bytes, so a 20-byte value may be truncated. The complete
/// words are stored, and `announcedCount` is the expected number. Source: Concept2 BLE definition rev 1.30,
/// 0x003D; unit from the ErgometerJS recording, where the greatest sample is the integer part of the peak
/// force of 0x0035 in all nine curves.
package struct ForceCurvePiece: CharacteristicPayload {
    package static let characteristic = CharacteristicID.forceCurve
    /// Length of the header with the sequence number.
    static let headerLength = 2
    /// Space in a 20-byte value after the identifier byte of 0x0080.
    private static let multiplexedRoom = 19

    /// 1 lbf each, about one every 16 ms of the drive.
    package var samples: ForceSamples
    /// Pieces in the whole curve.
    package var pieceCount: UInt8
    /// Position of this piece, from 0.
    package var sequence: UInt8
    /// The number of words in the header; greater than `samples.count` if the value was truncated.
    package var announcedCount: UInt8

    /// `pieceCount` and the number of samples are at most 15.
    package init(pieceCount: UInt8, sequence: UInt8, samples: ForceSamples) {
        precondition(pieceCount < 16, "a curve has at most 15 pieces, not \(pieceCount)")
        self.pieceCount = pieceCount
        self.sequence = sequence
        announcedCount = UInt8(samples.count)
        self.samples = samples
    }

    /// 2 bytes, plus two for each announced word; fewer throw `.truncated`. An exception are 19 bytes after
    /// the identifier of 0x0080: a value truncated to 20.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        let isCut = carrier == .multiplexed && reader.remaining == Self.multiplexedRoom
        var header = try reader.fields(Self.headerLength)
        let counts = header.uint8()
        pieceCount = counts >> 4
        announcedCount = counts & 0x0F
        sequence = header.uint8()
        if !isCut { try reader.require(2 * Int(announcedCount)) }
        let count = min(Int(announcedCount), reader.remaining / 2)
        samples = ForceSamples(decoding: try reader.slice(2 * count))
    }

    /// Whether a value of the characteristic itself is the last piece of its curve, or invalid.
    package static func isLast(_ value: UnsafeRawBufferPointer) -> Bool {
        value.count < headerLength || value[1] &+ 1 >= value[0] >> 4
    }

    /// Appends 2 bytes, plus two for each existing sample.
    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        writer.append([pieceCount << 4 | announcedCount, sequence])
        for sample in samples { writer.uint16(UInt16(bitPattern: sample)) }
    }

    package var fields: [Field] {
        [
            Field("total_notifications", pieceCount), Field("point_count", announcedCount),
            Field("sequence", sequence), Field("points_raw", .integers(samples)),
        ]
    }
}
