import PM5Codec
import Timeline

/// A split or interval from 0x0037 and 0x0038, still in the monitor's units.
struct AssembledSplit {
    /// 1, 2, 3, ... over the session, extended past the monitor's 8-bit number.
    let number: Int
    let data: SplitData
    /// Nil if 0x0038 was lost.
    let additional: AdditionalSplitData?
}

/// Merges the two packets of a split, in any order, and releases each split once.
struct SplitAssembler {
    /// 0x0038 follows 0x0037 within milliseconds (ErgometerJS recording).
    static let pairLimit = Duration.seconds(1)

    private var data: SplitData?
    private var additional: AdditionalSplitData?
    private var since = BootInstant(nanoseconds: 0)
    /// The number of the last released split.
    private(set) var released: Int

    /// - Parameter released: the number of the last released split of a restored session.
    init(released: Int = 0) { self.released = released }

    /// The session's number of a split.
    func number(_ wire: UInt8) -> Int { released.continued(by: wire) }

    /// Adds a packet; returns false if its split was already released.
    mutating func receive(_ packet: SplitData, at now: BootInstant) -> Bool {
        guard number(packet.splitNumber) > released, packet != data else { return false }
        if data == nil { since = now }
        data = packet
        if let other = additional, other.splitNumber != packet.splitNumber { additional = nil }
        return true
    }

    /// Adds a packet; returns false if its split was already released.
    mutating func receive(_ packet: AdditionalSplitData) -> Bool {
        guard number(packet.splitNumber) > released, packet != additional else { return false }
        if let data, data.splitNumber != packet.splitNumber { return false }
        additional = packet
        return true
    }

    /// Releases the split if both packets have arrived, or the second one is overdue.
    mutating func next(at now: BootInstant, flush: Bool = false) -> AssembledSplit? {
        guard let data else { return nil }
        let isDue = flush || since.duration(to: now) >= Self.pairLimit
        guard isDue || additional != nil else { return nil }
        defer {
            self.data = nil
            additional = nil
            released = number(data.splitNumber)
        }
        return AssembledSplit(
            number: number(data.splitNumber), data: data, additional: additional)
    }
}

extension Int {
    /// Extends an 8-bit count whose last extended value was `self`.
    func continued(by count: UInt8) -> Int {
        let (turn, last) = (self & ~0xFF, self & 0xFF)
        if last > 0xC0, count < 0x40 { return turn + 0x100 + Int(count) }
        if last < 0x40, count > 0xC0, turn > 0 { return turn - 0x100 + Int(count) }
        return turn + Int(count)
    }
}
