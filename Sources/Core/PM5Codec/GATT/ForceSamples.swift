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
