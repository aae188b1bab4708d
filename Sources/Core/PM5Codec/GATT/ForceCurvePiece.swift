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

/// Up to 15 force samples of 1 lbf, stored inline so that decoding a piece allocates nothing.
///
/// Signed, because a sensor at rest can report slightly less than zero, and no rower reaches 32,768 lbf.
package struct ForceSamples: RandomAccessCollection, Hashable, Sendable, BitwiseCopyable {
    /// The maximum of the count nibble of a piece; documents allow 9.
    package static let capacity = 15

    // Four samples per word, the first one lowest: space for 16.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var used: UInt8 = 0

    package init() {}

    /// Creates a list of at most `capacity` samples.
    package init(_ samples: some Sequence<Int16>) {
        for sample in samples { append(sample) }
    }

    /// Reads the samples in `bytes`, an even number of at most 30, little-endian.
    ///
    /// Reads four at a time, because single reads cost twice as much.
    @inline(__always)
    init(decoding bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= 2 * Self.capacity, "a piece holds at most 15 samples")
        used = UInt8(bytes.count / 2)
        guard bytes.count >= 8 else {
            for index in 0..<(bytes.count / 2) {
                let sample = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
                words.0 |= UInt64(UInt16(littleEndian: sample)) << (16 * UInt64(index))
            }
            return
        }
        words.0 = Self.word(0, in: bytes)
        words.1 = Self.word(1, in: bytes)
        words.2 = Self.word(2, in: bytes)
        words.3 = Self.word(3, in: bytes)
    }

    /// Samples `4 * index` and the next three; 0 after the end of `bytes`, which has at least 8 bytes.
    @inline(__always)
    private static func word(_ index: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        let missing = 8 * index + 8 - bytes.count
        guard missing < 8 else { return 0 }
        // Reads the last word from inside the buffer, and shifts it into place.
        let start = missing > 0 ? bytes.count - 8 : 8 * index
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        return word >> (8 * UInt64(Swift.max(0, missing)))
    }

    /// Adds a sample; the list must not be full.
    package mutating func append(_ sample: Int16) {
        precondition(used < Self.capacity, "a force curve piece holds at most 15 samples")
        let bits = UInt64(UInt16(bitPattern: sample)) << (16 * UInt64(used % 4))
        switch used / 4 {
        case 0: words.0 |= bits
        case 1: words.1 |= bits
        case 2: words.2 |= bits
        default: words.3 |= bits
        }
        used += 1
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { Int(used) }

    /// 1 lbf; `position` is below `count`.
    package subscript(position: Int) -> Int16 {
        precondition(position >= 0 && position < endIndex, "sample \(position) of \(endIndex)")
        let word =
            switch position / 4 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return Int16(truncatingIfNeeded: word >> (16 * UInt64(position % 4)))
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.used == right.used && left.words == right.words
    }

    package func hash(into hasher: inout Hasher) {
        for sample in self { hasher.combine(sample) }
    }
}
