import Bytes
import Contract
import LogbookStores
import WebServer

/// What the store tells over HTTP: sessions, their records, athletes, gateways.
///
/// A record is told as a replay tells it, so that it is what the contract's schema says.
struct RecordAnswers: Sendable {
    /// Bytes at which a page ends, whatever else fits into its limit.
    static let pageBytes = 1 << 20

    /// nil where no records are kept.
    let reader: StoreQueue?
    /// Likewise: takes what people say and plan.
    let writer: StoreQueue?
    let room: LiveRoom
    /// Stores what comes; nil where no records are stored.
    let keeper: RecordKeeper?
    let book: AthleteBook
    let desk: SuggestionDesk
    /// Is told who has accepted something; nil where no monitor is reached from here.
    let seats: SuggestionSeats?
    /// Is told whose suggestions somebody has said something of.
    let answered: @Sendable (String) -> Void

    init(
        reader: StoreQueue?, writer: StoreQueue?, room: LiveRoom, keeper: RecordKeeper? = nil,
        book: AthleteBook, seats: SuggestionSeats? = nil,
        answered: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.reader, self.writer, self.room, self.keeper) = (reader, writer, room, keeper)
        (self.book, self.seats) = (book, seats)
        self.answered = answered
        desk = SuggestionDesk(book: book)
    }

    /// How the logbook itself is.
    var health: LogbookHealth { LogbookHealth(room, keeper) }

    /// - Parameters:
    ///   - names: what stands for the parts in braces of the endpoint's address.
    ///   - sight: whose records are told.
    func answer(
        _ endpoint: Endpoint, _ names: [String], _ asked: AskedParameters, to sight: Sight
    ) throws(InterfaceFault) -> WebAnswer {
        guard let reader else {
            // Who is there is known without a store too.
            if endpoint == .gateways { return Self.gateways(room, health) }
            throw Self.noStore
        }
        return reader.answer(try reading(endpoint, names, asked, sight))
    }

    static let noStore = InterfaceFault(
        404, "no_store",
        "this logbook keeps no records: add path = \"...\" below [store] of its configuration")

    private typealias Reading = @Sendable (any LogbookStore) throws -> WebAnswer

    /// What is to be read, with all parameters checked.
    private func reading(
        _ endpoint: Endpoint, _ names: [String], _ asked: AskedParameters, _ sight: Sight
    ) throws(InterfaceFault) -> Reading {
        switch endpoint {
        case .gateways: return { [room, keeper] in
            try Self.gateways(room, LogbookHealth(room, keeper), in: $0)
        }
        case .streams:
            let (gateway, limit) = (try Self.gateway(names[0]), try asked.limit())
            let mark = try asked.mark(StreamMark.self)
            return { try Self.streams(of: gateway, after: mark, limit, in: $0) }
        case .athletes:
            let (mark, limit) = (try asked.mark(AthleteMark.self), try asked.limit())
            return { try athletes(after: mark, limit, sight, in: $0) }
        case .athlete:
            let slug = try Self.athlete(names[0], sight)
            return { try athlete(slug, in: $0) }
        case .records: return { try records(in: $0) }
        case .volume:
            let (slug, length) = (try Self.athlete(names[0], sight), try asked.length())
            let season = try asked.season()
            return { try volume(of: slug, by: length, in: season, $0) }
        case .training:
            let (slug, length) = (try Self.athlete(names[0], sight), try asked.length())
            let season = try asked.season()
            return { try training(of: slug, by: length, in: season, $0) }
        case .suggestions:
            let slug = try Self.athlete(names[0], sight)
            return { try suggestions(to: slug, in: $0) }
        case .plans: return { try Self.plans(sight, in: $0) }
        case .plan: return { try Self.plan(names[0], sight, in: $0) }
        case .exportPlan:
            let format = try asked.planFormat()
            return { try Self.planFile(names[0], as: format, sight, in: $0) }
        case .adherence:
            let slug = try asked.athlete()
            return { try adherence(to: names[0], of: slug, sight, in: $0) }
        case .athletePlans:
            let slug = try Self.athlete(names[0], sight)
            return { try plans(of: slug, in: $0) }
        case .sessionTraining:
            let name = try Self.session(names)
            return { try training(of: name, sight, in: $0) }
        case .sessions:
            var filter = try asked.sessionFilter()
            filter.athlete = try sight.athlete(asked: filter.athlete)
            return { [filter] in try Self.sessions(filter, in: $0) }
        case .session:
            let name = try Self.session(names)
            return { try Self.session(name, sight, in: $0) }
        case .export:
            let name = try Self.session(names)
            let (format, kind) = (try asked.format(), try asked.tableKind())
            return { try file(of: name, as: format, table: kind, sight, in: $0) }
        case .exportSessions:
            var filter = try asked.sessionFilter()
            filter.athlete = try sight.athlete(asked: filter.athlete)
            let (format, kind) = (try asked.formatOfSeveral(), try asked.tableKind())
            return { [filter] in
                try file(of: filter, as: format, table: kind, sight, in: $0)
            }
        default:
            guard let kind = endpoint.recordKind else {
                preconditionFailure("\(endpoint) tells no records")
            }
            let (name, limit) = (try Self.session(names), try asked.limit())
            let mark = try asked.mark(RecordMark.self)
            return { store in
                _ = try Self.kept(name, sight, in: store)
                let page = try Self.records(of: kind, in: name, after: mark, limit, sight, store)
                return Self.json { page.write(into: &$0) }
            }
        }
    }

    // MARK: Names

    private static func gateway(_ text: String) throws(InterfaceFault) -> GatewayID {
        guard let gateway = GatewayID(text) else { throw unknownGateway(text) }
        return gateway
    }

    static func athlete(_ text: String, _ sight: Sight) throws(InterfaceFault) -> String {
        guard AthleteID.isValid(text) else { throw unknownAthlete(text) }
        return try sight.athlete(text)
    }

    static func unknownGateway(_ name: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_gateway",
            "nothing is kept of a gateway \"\(name.prefix(40))\"; /api/v1/gateways lists those there are"
        )
    }

    private static func session(_ names: [String]) throws(InterfaceFault) -> SessionName {
        SessionName(gateway: try gateway(names[0]), session: names[1])
    }

    /// The session of a name, if it may be seen.
    static func kept(
        _ name: SessionName, _ sight: Sight, in store: any LogbookStore
    ) throws -> KeptSession {
        var filter = SessionFilter(limit: 1)
        (filter.gateway, filter.session) = (name.gateway, name.session)
        if let found = try store.sessions(filter).first, sight.shows(found) { return found }
        throw InterfaceFault(
            404, "unknown_session",
            "\(name.gateway) has no session \"\(name.session.prefix(40))\"; /api/v1/sessions lists "
                + "those there are")
    }

    // MARK: Lists

    /// Elements of a list, and where it goes on.
    struct Page {
        let name: StaticString
        /// As JSON.
        var elements: [[UInt8]] = []
        var next: String?

        /// Of as many elements as are wanted and fit; `found` has one more where the list goes on. One that
        /// is written as nil is passed over.
        init<Element, Mark: PageMark>(
            _ name: StaticString, of found: [Element], _ limit: Int, mark: (Element) -> Mark,
            _ write: (Element) -> [UInt8]?
        ) {
            self.name = name
            var bytes = 0
            for (index, element) in found.enumerated() {
                guard index < limit, bytes < RecordAnswers.pageBytes else {
                    next = mark(found[index - 1]).cursor
                    return
                }
                guard let written = write(element) else { continue }
                bytes += written.count
                elements.append(written)
            }
        }

        func write(into json: inout JSONWriter) {
            json.key(name)
            json.beginArray()
            for element in elements { json.value(json: element) }
            json.endArray()
            json.field("next", next)
        }
    }

    private static func sessions(
        _ filter: SessionFilter, in store: any LogbookStore
    ) throws -> WebAnswer {
        var wanted = filter
        wanted.limit += 1
        let page = Page("sessions", of: try store.sessions(wanted), filter.limit) {
            SessionMark(firstAt: $0.firstAt, name: $0.name)
        } _: {
            JSONWriter.object($0.write)
        }
        return json { page.write(into: &$0) }
    }

    private func athletes(
        after mark: AthleteMark?, _ limit: Int, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let found: [KeptAthlete]
        if let own = sight.athlete {
            let sessions = try book.pieces(of: own, in: store, machine: room.machine(at:_:))
                .sessions
            let isBehind = mark.map { own > $0.slug } ?? true
            found = isBehind ? [KeptAthlete(own, in: sessions)].compactMap(\.self) : []
        } else {
            found = try store.athletes(after: mark?.slug, limit: limit + 1)
        }
        let page = Page("athletes", of: found, limit) {
            AthleteMark(slug: $0.slug)
        } _: {
            JSONWriter.object($0.write)
        }
        return Self.json { page.write(into: &$0) }
    }

    private static func records(
        of kind: StreamKind, in name: SessionName, after mark: RecordMark?, _ limit: Int,
        _ sight: Sight, _ store: any LogbookStore
    ) throws -> Page {
        let found = try store.records(of: kind, in: name, after: mark, limit: limit + 1)
        return Page("records", of: found, limit) {
            $0.mark
        } _: {
            sight.shows($0.stored) ? told($0.stored) : nil
        }
    }

    /// As a replay tells it; an empty object in the place of what a disk has spoiled.
    private static func told(_ stored: [UInt8]) -> [UInt8] {
        guard stored.last == UInt8(ascii: "}") else { return Array("{}".utf8) }
        return RecordEncoder.published(stored, historical: true)
    }

    // MARK: One session

    private static func session(
        _ name: SessionName, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let kept = try kept(name, sight, in: store)
        let summary = try store.records(of: .summary, in: name).last { sight.shows($0) }
        let manifest = try store.records(of: .manifest, in: name).last
        let limit = AskedParameters.usualLimit
        let splits = try records(of: .split, in: name, after: nil, limit, sight, store)
        let gaps = try records(of: .gap, in: name, after: nil, limit, sight, store)
        return json { json in
            json.object("session", kept.write)
            for (key, record) in [("summary" as StaticString, summary), ("manifest", manifest)] {
                guard let record else { continue }
                json.key(key)
                json.value(json: told(record))
            }
            json.object("splits", splits.write)
            json.object("gaps", gaps.write)
        }
    }

    static func json(_ members: (inout JSONWriter) -> Void) -> WebAnswer {
        .content(type: "application/json", JSONWriter.object(members))
    }
}

extension Endpoint {
    /// Whose pages it tells; nil for what tells no records.
    fileprivate var recordKind: StreamKind? {
        switch self {
        case .strokes: .stroke
        case .forces: .force
        case .splits: .split
        case .gaps: .gap
        case .rollups: .rollup
        case .alerts: .alert
        default: nil
        }
    }
}
