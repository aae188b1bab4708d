import PM5Codec

/// The period of a monitor's status while rowgate and a phone share it: the fastest wish wins.
package struct SharedSampleRate: Equatable, Sendable {
    /// The byte that rowgate wrote last; nil before the first write.
    private var own: UInt8?
    /// The byte that the phone wrote last; nil without a phone.
    private var phone: UInt8?

    package init() {}

    /// Notes rowgate's wish; returns the byte to write.
    package mutating func setOwn(_ byte: UInt8) -> UInt8 {
        own = byte
        return effective ?? byte
    }

    /// Notes the phone's wish; returns the byte to write.
    ///
    /// A value that no document lists is written as it is, so that the monitor answers it, and is not a wish.
    package mutating func setPhone(_ byte: UInt8) -> UInt8 {
        guard SampleRate.value(of: byte).periodMilliseconds != nil else { return byte }
        phone = byte
        return effective ?? byte
    }

    /// The phone is gone. Returns the byte that restores rowgate's rate; nil if it did not change.
    package mutating func removePhone() -> UInt8? {
        let before = effective
        phone = nil
        return effective == before ? nil : own
    }

    /// A link begins at the monitor's own rate.
    package mutating func reset() { self = Self() }

    private var effective: UInt8? {
        [own, phone].compactMap(\.self).min { Self.period($0) < Self.period($1) }
    }

    private static func period(_ byte: UInt8) -> Int {
        SampleRate.value(of: byte).periodMilliseconds ?? .max
    }
}
