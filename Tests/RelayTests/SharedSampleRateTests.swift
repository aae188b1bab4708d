import Testing

@testable import Relay

/// A reference, because `#expect` calls no mutating method.
private final class Rate {
    private var value = SharedSampleRate()

    @discardableResult func setOwn(_ byte: UInt8) -> UInt8 { value.setOwn(byte) }
    @discardableResult func setPhone(_ byte: UInt8) -> UInt8 { value.setPhone(byte) }
    func removePhone() -> UInt8? { value.removePhone() }
}

@Suite struct SharedSampleRateTests {
    @Test func fastestWishWins() {
        let rate = Rate()
        #expect(rate.setOwn(1) == 1)
        #expect(rate.setPhone(2) == 2)
        #expect(rate.setPhone(0) == 1)
        #expect(rate.setOwn(3) == 3)
        #expect(rate.setOwn(0) == 0)
    }

    @Test func restoresOwnRateWhenThePhoneGoes() {
        let rate = Rate()
        rate.setOwn(1)
        rate.setPhone(3)
        #expect(rate.removePhone() == 1)
        #expect(rate.removePhone() == nil)
        rate.setPhone(0)
        #expect(rate.removePhone() == nil)
    }

    @Test func writesUnknownValuesAsTheyAre() {
        let rate = Rate()
        rate.setOwn(1)
        #expect(rate.setPhone(9) == 9)
        #expect(rate.removePhone() == nil)
    }
}
