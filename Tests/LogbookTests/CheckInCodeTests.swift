import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// The code on the wall, and the tickets of phones, without a server.
@Suite struct CheckInCodeTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)

    private static func after(_ seconds: Int) -> BootInstant { start.advanced(by: .seconds(seconds)) }

    private static func place(_ erg: String) -> LiveBoard.Place {
        LiveBoard.Place(gateway: GatewayID(valid: "boathouse"), erg: StationID(valid: erg))
    }

    @Test func hasFourDigits() {
        #expect(CheckInCode(at: Self.start, random: 42).text == "0042")
        #expect(CheckInCode(at: Self.start, random: 1_239_999).text == "9999")
        for (text, isCode) in [
            ("0042", true), ("042", false), ("00042", false), ("4x21", false), ("", false),
        ] {
            #expect(CheckInCode.isWellFormed(text) == isCode, "\(text)")
        }
        #expect(!CheckInCode.isWellFormed("٤٢٤٢"))
    }

    @Test func changesAndKeepsTheFormerOneForAShortTime() {
        var code = CheckInCode(at: Self.start, random: 4821)
        code.advance(to: Self.after(599)) { 7 }
        #expect(code.text == "4821" && code.remaining(at: Self.after(599)) == .seconds(1))
        code.advance(to: Self.after(601)) { 7 }
        #expect(code.text == "0007" && code.remaining(at: Self.after(601)) == .seconds(599))
        #expect(code.verdict(on: "0007", at: Self.after(601)) == .valid)
        #expect(code.verdict(on: "4821", at: Self.after(719)) == .valid)
        #expect(code.verdict(on: "4821", at: Self.after(720)) == .expired)
        #expect(code.verdict(on: "4822", at: Self.after(601)) == .wrong)
        // The one before is forgotten.
        code.advance(to: Self.after(1200)) { 8 }
        #expect(code.verdict(on: "4821", at: Self.after(1200)) == .wrong)
    }

    @Test func aLongPauseLeavesNoFormerCode() {
        var code = CheckInCode(at: Self.start, random: 4821)
        code.advance(to: Self.after(1250)) { 7 }
        #expect(code.verdict(on: "4821", at: Self.after(1250)) == .wrong)
        #expect(code.remaining(at: Self.after(1250)) == .seconds(550))
    }

    @Test(arguments: [0, 4821, 9999])
    func aNewCodeIsAnotherOne(first: Int) {
        var seen: Set<String> = []
        for random in UInt64(0)..<9999 {
            var code = CheckInCode(at: Self.start, random: UInt64(first))
            code.advance(to: Self.after(600)) { random }
            seen.insert(code.text)
        }
        #expect(seen.count == 9999)
        #expect(!seen.contains(CheckInCode(at: Self.start, random: UInt64(first)).text))
    }

    /// The chance in `Users.md`: guesses that the limits admit in two hours and in a day.
    @Test func limitsGuessesAcrossAddresses() {
        func admitted(in hours: Int, addresses: Int) -> Int {
            var limiter = CheckInService.newLimiter()
            var count = 0
            for second in 0..<(hours * 3600) {
                let address = ClientAddress([10, 0, 0, UInt8(second % addresses)])
                guard limiter.retryDelay(for: address, at: Self.after(second)) == nil else { continue }
                limiter.recordFailure(from: address, at: Self.after(second))
                count += 1
            }
            return count
        }
        #expect((33...34).contains(admitted(in: 2, addresses: 1)))
        #expect((43...44).contains(admitted(in: 2, addresses: 200)))
        #expect((307...308).contains(admitted(in: 24, addresses: 200)))
    }

    @Test func aTicketIsForOneErgAndEnds() throws {
        var tickets = CheckInTickets()
        let (erg, other) = (Self.place("erg-1"), Self.place("erg-2"))
        tickets.issue("a", for: erg, at: Self.start)
        #expect(tickets.ticket("a", for: other, at: Self.start) == nil)
        #expect(tickets.ticket("b", for: erg, at: Self.start) == nil)
        #expect(tickets.ticket("a", for: erg, at: Self.after(299))?.athlete == nil)
        #expect(tickets.ticket("a", for: erg, at: Self.after(300)) == nil)
    }

    @Test func aTicketLastsUntilTheResultWasShown() throws {
        var tickets = CheckInTickets()
        let erg = Self.place("erg-1")
        tickets.issue("a", for: erg, at: Self.start)
        tickets.choose("zoe", with: "a", at: Self.after(10))
        // The erg still reports the former athlete; then it confirms.
        tickets.update([erg: "ben"], at: Self.after(15))
        for second in stride(from: 20, through: 3600, by: 5) {
            tickets.update([erg: "zoe"], at: Self.after(second))
        }
        tickets.update([:], at: Self.after(4190))
        #expect(tickets.ticket("a", for: erg, at: Self.after(4190))?.athlete == "zoe")
        tickets.update([:], at: Self.after(4200))
        #expect(tickets.isEmpty)
    }

    @Test func aTicketEndsWithTheNextAthleteAndAfterFourHours() throws {
        var tickets = CheckInTickets()
        let erg = Self.place("erg-1")
        for digest in ["a", "b"] { tickets.issue(digest, for: erg, at: Self.start) }
        tickets.choose("zoe", with: "a", at: Self.start)
        tickets.update([erg: "zoe"], at: Self.after(5))
        tickets.update([erg: "ben"], at: Self.after(10))
        #expect(tickets.ticket("a", for: erg, at: Self.after(10)) == nil)
        // Never confirmed.
        tickets.choose("zoe", with: "b", at: Self.after(10))
        tickets.update([erg: "ben"], at: Self.after(40))
        #expect(tickets.ticket("b", for: erg, at: Self.after(40)) != nil)
        tickets.update([erg: "ben"], at: Self.after(41))
        #expect(tickets.isEmpty)
        tickets.issue("c", for: erg, at: Self.start)
        tickets.choose("zoe", with: "c", at: Self.start)
        for second in stride(from: 0, to: 14_400, by: 5) {
            tickets.update([erg: "zoe"], at: Self.after(second))
        }
        #expect(tickets.ticket("c", for: erg, at: Self.after(14_399)) != nil)
        #expect(tickets.ticket("c", for: erg, at: Self.after(14_400)) == nil)
    }

    @Test func dropsTheOldestTicketsIfThereAreTooMany() throws {
        var tickets = CheckInTickets()
        let erg = Self.place("erg-1")
        for number in 0..<(CheckInTickets.capacity + 10) {
            tickets.issue("\(number)", for: erg, at: Self.start.advanced(by: .milliseconds(number)))
        }
        for (number, isStored) in [(0, false), (9, false), (10, true), (CheckInTickets.capacity + 9, true)] {
            #expect(
                (tickets.ticket("\(number)", for: erg, at: Self.after(1)) != nil) == isStored, "\(number)")
        }
    }
}
