import Bytes

/// Reply to WORKTIME 0xA0 and WORKDISTANCE 0xA3.
///
/// Through 0x1A a fraction byte follows, and the total is in 0.01 s or 0.1 m: the captured `8A 16 00 00 09`
/// is 5770 + 9, 577.9 m. Without it the unit is not documented.
package struct WorkAmount: ReplyValue {
    /// In steps of 1 s or 1 m: 100 or 10 of the unit.
    package var base: UInt32
    /// Added to `base`; below 100, nil outside 0x1A.
    package var fraction: UInt8?

    package init(base: UInt32, fraction: UInt8?) {
        self.base = base
        self.fraction = fraction
    }

    /// In 0.01 s or 0.1 m; nil without a fraction byte, because the unit is then unknown.
    package var total: UInt64? { fraction.map { UInt64(base) + UInt64($0) } }

    /// 4 bytes, 5 with the fraction; fewer throw `.truncated`.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        base = try reader.uint32(order)
        fraction = reader.remaining > 0 ? try reader.uint8() : nil
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint32(base, order)
        if let fraction { writer.uint8(fraction) }
    }
}

/// Reply to FORCEPLOTDATA 0x6B and HEARTBEATDATA 0x6C: a byte count and space for 16 words.
///
/// Only the counted bytes are new; the others remain from earlier reads. A force word is 1 lbf, and the
/// monitor returns each word only once.
package struct SampleBlock: ReplyValue {
    /// Words in a reply.
    package static let capacity = 16

    /// Only the new samples; empty if there are none yet.
    package var samples: [UInt16]

    /// At most 16 samples.
    package init(_ samples: [UInt16]) {
        precondition(samples.count <= Self.capacity, "a reply has room for 16 samples")
        self.samples = samples
    }

    /// The value of the count byte: two per sample.
    package var validBytes: Int { 2 * samples.count }

    /// Reads a count and that many bytes; fewer throw `.truncated`. A reply that ends after them is valid.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        let validBytes = try reader.uint8()
        try reader.require(Int(validBytes))
        samples = []
        for _ in 0..<(validBytes / 2) { samples.append(try reader.uint16(order)) }
    }

    /// Appends 33 bytes whatever the count, as a monitor does.
    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint8(UInt8(validBytes))
        for sample in samples { writer.uint16(sample, order) }
        writer.append(repeatElement(0, count: 2 * Self.capacity - validBytes))
    }
}

/// Reply to INTERNALLOGMEMORY 0x6A: a count and space for 64 bytes.
package struct LogMemoryReply: ReplyValue {
    /// Bytes in a reply.
    package static let capacity = 64

    /// The counted bytes; fewer than requested at the end of the log.
    package var bytes: [UInt8]

    /// At most 64 bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count <= Self.capacity, "a reply has room for 64 bytes of log")
        self.bytes = bytes
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        bytes = Array(try reader.slice(Int(try reader.uint8())))
    }

    /// 65 bytes whatever the count.
    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint8(UInt8(bytes.count))
        writer.append(bytes)
        writer.append(repeatElement(0, count: Self.capacity - bytes.count))
    }
}

/// Reply to STROKESTATS 0x6E, 16 bytes.
///
/// Layout: Concept2 CSAFE definition rev 0.25; scales: ErgometerJS and the same fields of 0x0035.
package struct StrokeStatistics: CompositeValue {
    /// 0.01 m.
    package var strokeDistanceCentimeters: UInt16 = 0
    /// 0.01 s, at most 2.55 s.
    package var driveCentiseconds: UInt8 = 0
    /// 0.01 s.
    package var recoveryCentiseconds: UInt16 = 0
    /// 0.01 m, at most 2.55 m.
    package var driveLengthCentimeters: UInt8 = 0
    /// Drives so far, like the count in 0x0035.
    package var driveCounter: UInt16 = 0
    /// 0.1 lbf.
    package var peakForceTenthsOfPound: UInt16 = 0
    /// Unit not documented.
    package var impulse: UInt16 = 0
    /// 0.1 lbf.
    package var averageForceTenthsOfPound: UInt16 = 0
    /// 0.1 J.
    package var workPerStrokeDecijoules: UInt16 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&strokeDistanceCentimeters)
        coder.field(&driveCentiseconds)
        coder.field(&recoveryCentiseconds)
        coder.field(&driveLengthCentimeters)
        coder.field(&driveCounter)
        coder.field(&peakForceTenthsOfPound)
        coder.field(&impulse)
        coder.field(&averageForceTenthsOfPound)
        coder.field(&workPerStrokeDecijoules)
    }
}

/// Reply to CURRENT_WORKOUT_HASH 0x72: eight bytes in protocol order, followed by eight zeros.
package struct WorkoutHashReply: ReplyValue {
    static let length = 8

    /// Least significant first, as in 0x003F.
    package var bytes: [UInt8]

    /// Exactly eight bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.length, "a workout hash has eight bytes")
        self.bytes = bytes
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        bytes = Array(try reader.slice(Self.length))
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append(bytes)
        writer.append(repeatElement(0, count: Self.length))
    }
}

/// Reply to GAME_SCORE 0x78.
package struct GameScoreReply: CompositeValue {
    /// `.none` outside a game.
    package var game: GameID = .none
    /// In the units of 0x003C, as far as known.
    package var score: UInt16 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&game)
        coder.field(&score)
    }
}
