import Bytes
import Contract
import Timeline

/// The present state of every gateway and erg: the newest message of each kind, as it was published.
///
/// A value without a clock: moments are handed in. It has bounds, since whoever may publish on the
/// broker can make up gateways and ergs.
struct LiveBoard: Sendable {
    /// Places and bytes that the board takes.
    struct Limits: Sendable {
        /// A page of gateways has room for them.
        var gateways = 256
        /// Of one gateway, and of those that are told to who asks for no gateway: a wall has room for them.
        var ergs = 64
        /// Of all gateways: eight of each of 64.
        var allErgs = 512
        /// Of all gateways.
        var crews = 128
        /// Of one message.
        var messageBytes = 32 * 1024
        /// Of all messages together.
        var bytes = 16 << 20
    }

    /// What became of a message.
    enum Outcome: Equatable, Sendable {
        /// It is on the board, or has taken something off it.
        case taken
        /// Nothing that a wall shows: a command, a reply, a record of the past.
        case ignored
        case refused(Refusal)
    }

    /// Why a message is not taken.
    enum Refusal: String, CaseIterable, Sendable {
        case noObject = "it is not one line with a JSON object"
        case noContract = "it is not what the contract says of its kind"
        case noAvailability = "it is neither \"online\" nor \"offline\""
        case tooLong = "it is too long"
        case tooManyGateways = "there are too many gateways"
        case tooManyErgs = "there are too many ergs"
        case tooManyCrews = "there are too many crews"
        case tooManyBytes = "the messages of all ergs are too long together"
    }

    /// A gateway, an erg of it, or a crew of its ergs.
    struct Place: Hashable, Comparable, Sendable {
        let gateway: GatewayID
        var erg: StationID?
        var crew: CrewID?

        /// What its events are called.
        var kind: PlaceKind { erg != nil ? .erg : crew != nil ? .crew : .gateway }

        static func < (left: Place, right: Place) -> Bool {
            left.path.lexicographicallyPrecedes(right.path)
        }

        private var path: [String] { [gateway.slug, erg?.slug ?? "", crew?.slug ?? ""] }
    }

    enum PlaceKind: CaseIterable, Sendable { case gateway, erg, crew }

    struct Message: Sendable {
        /// JSON in one line.
        let payload: [UInt8]
        /// What its age counts from.
        let since: BootInstant
        /// The subscription under which it came.
        let subscription: Int
        /// Whether `since` is when it was said: of one that the broker kept, and that has no time to be
        /// believed, nobody knows.
        let isDated: Bool
    }

    /// What is kept of one place.
    struct Kept: Sendable {
        var messages: [Kind: Message] = [:]
        /// The board's number when something of it last changed.
        var changed: UInt64 = 0
    }

    /// How the connection to the broker is.
    struct Broker: Sendable {
        var isConnected = false
        var since: BootInstant
        var changed: UInt64 = 0
    }

    /// A best that was rowed a moment ago.
    struct Best: Sendable {
        let gateway: GatewayID?
        /// JSON in one line, without a name: the page has that of the place.
        let payload: [UInt8]
        let since: BootInstant
        let changed: UInt64
    }

    /// A best is shown for a minute, and so many of them.
    static let bestStays = Duration.seconds(60)
    static let mostBests = 64

    let limits: Limits
    private(set) var kept: [Place: Kept] = [:]
    /// The ergs that gateways may have, by their births.
    private var ergsByBirth: [GatewayID: GatewayErgs] = [:]
    /// The ergs that are told to who asks for no gateway: those that came first.
    private(set) var wall: Set<Place> = []
    private(set) var broker: Broker
    /// The oldest first.
    private(set) var bests: [Best] = []
    /// Counts changes; a reader remembers the number that it has seen.
    private(set) var version: UInt64 = 1
    /// The number when a place last left the board: whoever has seen less begins anew.
    private(set) var thinned: UInt64 = 1
    private var bytes = 0
    private var subscription = 0

    /// A board that has heard nothing.
    init(limits: Limits = Limits(), at now: BootInstant) {
        self.limits = limits
        broker = Broker(since: now)
    }

    // MARK: Messages

    /// Takes a message that was received at `now`.
    ///
    /// - Parameters:
    ///   - isRetained: the broker kept it from earlier.
    ///   - clock: places its own time among ours.
    mutating func take(
        _ payload: [UInt8], topic: String, isRetained: Bool, at now: BootInstant, clock: WallClock
    ) -> Outcome {
        guard let (gateway, topic) = TopicMap.read(topic),
            let (place, kind) = Kind.of(topic, at: gateway)
        else { return .ignored }
        if payload.isEmpty { return clear(kind, of: place, isGone: kind.isRetained) }
        // What is kept of an erg that has left the configuration.
        if let erg = place.erg, ergsByBirth[gateway]?.contains(erg) == false { return .ignored }
        var message = Message(
            payload: payload, since: now, subscription: subscription, isDated: !isRetained)
        if kind == .availability {
            guard let text = Self.availability(payload) else { return .refused(.noAvailability) }
            message = Message(
                payload: text, since: now, subscription: subscription, isDated: !isRetained)
        } else {
            guard payload.count <= limits.messageBytes else { return .refused(.tooLong) }
            guard let object = Self.object(payload) else { return .refused(.noObject) }
            if object["historical"] == .flag(true) { return .ignored }
            guard RetainedForm.fits(object, kind.rawValue) else { return .refused(.noContract) }
            if isRetained, let said = Self.instant(of: object, clock), said < now {
                message = Message(
                    payload: payload, since: said, subscription: subscription, isDated: true)
            }
            if kind == .birth { ergsByBirth[gateway] = Birth.ergs(in: object) }
        }
        let outcome = put(message, kind, of: place)
        if kind == .birth { dropFormerErgs(of: gateway) }
        return outcome
    }

    /// Ergs that the gateway's birth rules out leave the board.
    private mutating func dropFormerErgs(of gateway: GatewayID) {
        guard let ergs = ergsByBirth[gateway] else { return }
        for place in kept.keys where place.gateway == gateway {
            if let erg = place.erg, !ergs.contains(erg) { drop(place) }
        }
    }

    /// A place leaves the board with all its messages.
    private mutating func drop(_ place: Place) {
        guard let gone = kept.removeValue(forKey: place) else { return }
        bytes -= gone.messages.values.reduce(0) { $0 + $1.payload.count }
        version += 1
        thinned = version
        if place.kind == .gateway { ergsByBirth[place.gateway] = nil }
        if wall.remove(place) != nil, let next = withoutSeat.min() { wall.insert(next) }
    }

    private mutating func put(_ message: Message, _ kind: Kind, of place: Place) -> Outcome {
        if kept[place] == nil {
            let count = kept.keys.count { $0.kind == place.kind }
            switch place.kind {
            case .gateway where count >= limits.gateways: return .refused(.tooManyGateways)
            case .erg where count >= limits.allErgs || ergs(of: place.gateway) >= limits.ergs:
                return .refused(.tooManyErgs)
            case .crew where count >= limits.crews: return .refused(.tooManyCrews)
            default: break
            }
        }
        let earlier = kept[place]?.messages[kind]?.payload.count ?? 0
        let sum = bytes - earlier + message.payload.count
        guard sum <= limits.bytes else { return .refused(.tooManyBytes) }
        bytes = sum
        version += 1
        if kept[place] == nil, place.kind == .erg { seat(place) }
        kept[place, default: Kept()].messages[kind] = message
        kept[place]?.changed = version
        return .taken
    }

    private func ergs(of gateway: GatewayID) -> Int {
        kept.keys.count { $0.gateway == gateway && $0.kind == .erg }
    }

    /// An erg gets a place on the wall of all, or everybody is told that there is one more without.
    private mutating func seat(_ erg: Place) {
        if wall.count < limits.ergs { wall.insert(erg) } else { thinned = version }
    }

    /// Whether somebody who asks for a gateway, or for none, is told of a place.
    func shows(_ place: Place, to gateway: GatewayID?) -> Bool {
        if let gateway { return place.gateway == gateway }
        return place.kind != .erg || wall.contains(place)
    }

    /// A retained message that was cleared disappears, and with its last message the place.
    ///
    /// - Parameter isGone: the last retained message takes all others of an erg along: what was once
    ///   heard of it, as its strokes, nobody clears.
    private mutating func clear(
        _ kind: Kind, of place: Place, isGone: Bool = false
    ) -> Outcome {
        guard let message = kept[place]?.messages.removeValue(forKey: kind) else { return .ignored }
        bytes -= message.payload.count
        version += 1
        kept[place]?.changed = version
        if place.kind == .gateway, kind == .birth { ergsByBirth[place.gateway] = nil }
        let rest = kept[place]?.messages.keys.filter { !isGone || $0.isRetained } ?? []
        if rest.isEmpty { drop(place) }
        return .taken
    }

    /// Ergs that are told to who asks for their gateway alone.
    var withoutSeat: some Collection<Place> {
        kept.keys.filter { $0.kind == .erg && !wall.contains($0) }
    }

    /// As JSON, nil for any other text.
    private static func availability(_ payload: [UInt8]) -> [UInt8]? {
        let texts = ["online", "offline"].map { Array($0.utf8) }
        let quote = UInt8(ascii: "\"")
        return texts.contains(payload) ? [quote] + payload + [quote] : nil
    }

    /// nil unless it is an object in one line, as the event stream needs it.
    private static func object(_ payload: [UInt8]) -> JSONObject? {
        guard EventLine.fits(payload) else { return nil }
        do { return try JSONObject(parsing: payload) } catch { return nil }
    }

    /// When the sender says that it was; nil unless both clocks are to be believed.
    private static func instant(of object: JSONObject, _ clock: WallClock) -> BootInstant? {
        guard clock.isSynchronized, object.text("clock") == "synced",
            let milliseconds = object.number("ts_ms").map(Int64.init)
        else { return nil }
        let sinceBoot = milliseconds - clock.unixMillisecondsAtBoot
        // Whatever a publisher makes up, nobody's clock is further off than a life.
        guard abs(sinceBoot) < 100 * 365 * 86_400_000 else { return nil }
        return BootInstant(nanoseconds: 0).advanced(by: .milliseconds(sinceBoot))
    }

    /// Somebody rowed better than before; the oldest makes room.
    mutating func take(best payload: [UInt8], of gateway: GatewayID?, at now: BootInstant) {
        version += 1
        bests.removeAll { $0.since.duration(to: now) >= Self.bestStays }
        if bests.count >= Self.mostBests { bests.removeFirst() }
        bests.append(Best(gateway: gateway, payload: payload, since: now, changed: version))
    }

    // MARK: The broker

    /// The broker has begun to send what it keeps.
    mutating func subscribed(at now: BootInstant) {
        subscription += 1
        version += 1
        broker = Broker(isConnected: true, since: now, changed: version)
    }

    mutating func lostBroker(at now: BootInstant) {
        guard broker.isConnected else { return }
        version += 1
        broker = Broker(since: now, changed: version)
    }

    /// Takes off what the broker kept under an earlier subscription and no longer does.
    mutating func forgetUnconfirmed() {
        for (place, of) in kept {
            let gone = of.messages.filter { kind, message in
                kind.isRetained && message.subscription < subscription
            }
            for kind in gone.keys { _ = clear(kind, of: place) }
        }
    }
}
