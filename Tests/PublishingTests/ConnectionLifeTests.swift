import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing
@testable import Timeline

/// The life of a connection, stepped: what follows what, and what is said of a failure.
struct ConnectionLifeTests {
    private static let refused = BrokerFailure(
        operation: "connect", broker: "b:1883", cause: "Connection refused")
    private static let announcement = ConnectionLife.Announcement(
        notice: BirthNotice(payload: [], nextSequences: [:]), window: 20)

    private func online(
        _ life: inout ConnectionLife, at now: BootInstant
    ) -> ConnectionLife.Announcement? {
        life.connecting()
        guard life.accepted(BrokerTerms()), life.announce(Self.announcement, in: life.generation)
        else {
            return nil
        }
        return life.wentOnline(at: now)
    }

    private static let configuration = BrokerConfiguration(host: "b", clientID: "c")

    /// Goal: nothing is done for a connection that is gone. Method: the broker's answers and the
    /// birth, each a moment too late.
    @Test func latecomersAreIgnored() {
        var life = ConnectionLife(Self.configuration)
        let now = BootInstant(nanoseconds: 0)
        var (wasAccepted, announcement) = (life.accepted(BrokerTerms()), life.wentOnline(at: now))
        #expect(!wasAccepted && announcement == nil, "before any attempt")
        life.connecting()
        let first = life.generation
        (wasAccepted, announcement) = (life.accepted(BrokerTerms()), life.wentOnline(at: now))
        #expect(wasAccepted && announcement == nil, "ahead of the birth")
        wasAccepted = life.accepted(BrokerTerms())
        life.forget()
        let isAnnounced = life.announce(Self.announcement, in: first)
        #expect(!wasAccepted && !isAnnounced)
        var terms = BrokerTerms()
        terms.certificates = CertificateEnds(broker: 1)
        #expect(!life.accepted(terms) && life.certificates == CertificateEnds())
        #expect(online(&life, at: now)?.window == 20)
        #expect(life.generation > first && life.phase == .online)
        let isReplaced = life.replace()
        life.connecting()
        let isReplacedAgain = life.replace()
        #expect(isReplaced && !isReplacedAgain, "the birth is yet to be asked for")
        let isUp = life.stopping()
        #expect(!isUp && life.phase == .stopping)
    }

    /// Goal: a failure is news once, pauses grow until a connection stood for long, and a quick end
    /// that nobody explained names the namesake. Method: failures before and after connections of 4 s
    /// and of a minute; the broker sends a packet that nobody can read.
    @Test func failuresAreNewsOnce() {
        var life = ConnectionLife(Self.configuration)
        let start = BootInstant(nanoseconds: 0)
        let retries = (0..<7).map { _ in life.failed(Self.refused, at: start, chance: 0) }
        #expect(retries.map(\.isNews) == [true] + Array(repeating: false, count: 6))
        #expect(retries.map(\.delay) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(life.phase == .waiting && life.lastFailure == Self.refused)

        #expect(online(&life, at: start) != nil && life.lastFailure == nil)
        var cut = Self.refused
        cut.kind = .cutOff
        let quick = life.failed(cut, at: start.advanced(by: .seconds(4)), chance: 0)
        #expect(quick.isNews && quick.delay == .seconds(30))
        #expect(quick.failure.remedy?.contains("broker.client_id") == true)

        #expect(online(&life, at: start) != nil)
        let unreadable = BrokerFailure.unreadable(
            "stay connected", BrokerConfiguration(host: "b", clientID: "c"), code: 1, detail: nil)
        let malformed = life.failed(unreadable, at: start.advanced(by: .seconds(1)), chance: 0)
        #expect(malformed.failure == unreadable, "a packet is no namesake")
        let text = "\(unreadable)"
        #expect(text.contains("it sent a packet that MQTT does not allow"))
        #expect(text.contains("with broker.tls = true nobody in between can send it"))

        #expect(online(&life, at: start) != nil)
        let steady = life.failed(Self.refused, at: start.advanced(by: .seconds(60)), chance: 0)
        #expect(steady.failure == Self.refused && steady.delay == .seconds(1))
    }
}
