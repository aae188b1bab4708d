import PM5Codec

/// A split or interval put together from 0x0037 and 0x0038, still in the monitor's units.
struct AssembledSplit {
    let data: SplitData
    /// nil when 0x0038 was lost.
    let additional: AdditionalSplitData?
}

/// Merges the two packets of a split, whichever comes first, and gives each split out once.
struct SplitAssembler {
    /// 0x0038 follows 0x0037 within milliseconds (ErgometerJS recording).
    static let pairLimit = Duration.seconds(1)

    private var data: SplitData?
    private var additional: AdditionalSplitData?
    private var since = BootInstant(nanoseconds: 0)
    /// The number of the last split given out.
    private(set) var released: UInt8 = 0

    mutating func reset(released: UInt8 = 0) {
        data = nil
        additional = nil
        self.released = released
    }

    /// Takes a packet in; false when its split was given out before.
    mutating func receive(_ packet: SplitData, at now: BootInstant) -> Bool {
        guard packet.splitNumber > released, packet != data else { return false }
        if data == nil { since = now }
        data = packet
        if let other = additional, other.splitNumber != packet.splitNumber { additional = nil }
        return true
    }

    /// Takes a packet in; false when its split was given out before.
    mutating func receive(_ packet: AdditionalSplitData) -> Bool {
        guard packet.splitNumber > released, packet != additional else { return false }
        if let data, data.splitNumber != packet.splitNumber { return false }
        additional = packet
        return true
    }

    /// The split whose packets are both here, or whose second one is not coming.
    mutating func next(at now: BootInstant, flush: Bool = false) -> AssembledSplit? {
        guard let data else { return nil }
        let isDue = flush || since.duration(to: now) >= Self.pairLimit
        guard isDue || additional != nil else { return nil }
        defer {
            self.data = nil
            additional = nil
            released = data.splitNumber
        }
        return AssembledSplit(data: data, additional: additional)
    }
}
