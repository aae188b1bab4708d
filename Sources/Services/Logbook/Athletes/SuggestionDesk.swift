import Bests
import Bytes
import Contract
import LogbookStores
import Suggestions
import Timeline
import Training

/// What is suggested to athletes, and what people say of it.
///
/// Nothing is remembered here: what is offered follows from the sessions each time, and what was said
/// is in the store. Used on the queue of the store that it is handed.
package struct SuggestionDesk: Sendable {
    package typealias Machines = (GatewayID, StationID) -> MachineKind?

    private let book: AthleteBook

    package init(book: AthleteBook) { self.book = book }

    /// Throws `SuggestionFault.unknownAthlete` for somebody of whom nothing is known.
    ///
    /// - Parameters:
    ///   - machine: what stands at a place; nil where nobody knows, which counts as a rower.
    ///   - now: Unix milliseconds.
    package func suggestions(
        to athlete: String, in store: any LogbookStore, at now: Int64,
        machine: Machines = { _, _ in nil }
    ) throws -> AthleteSuggestions {
        let (sessions, pieces) = try book.pieces(of: athlete, in: store, machine: machine)
        if sessions.isEmpty { throw SuggestionFault.unknownAthlete(athlete) }
        return try Self.suggestions(
            to: athlete, pieces, in: store, at: now, calendar: book.calendar)
    }

    /// The same of somebody whose sessions were read.
    static func suggestions(
        to athlete: String, _ pieces: [PieceTraining], in store: any LogbookStore, at now: Int64,
        calendar: ClubCalendar
    ) throws(StoreFailure) -> AthleteSuggestions {
        let words = try store.suggestions(of: athlete).compactMap(SuggestionWord.init)
        return AthleteSuggestions(pieces, words, now: now, in: calendar)
    }

    /// Keeps what somebody says of a suggestion that is open. Returns how things stand then.
    ///
    /// - Parameter by: whose token it comes with, or who else says it.
    package func take(
        _ answer: SuggestionAnswer, of id: String, to athlete: String, by: String,
        in store: any LogbookStore, at now: Int64, machine: Machines = { _, _ in nil }
    ) throws -> AthleteSuggestions {
        let before = try suggestions(to: athlete, in: store, at: now, machine: machine)
        guard let standing = before.known(id) else { throw SuggestionFault.unknown(id) }
        // Whoever did not hear the answer says it again; what is on a monitor stays there.
        if answer.holds(of: standing) { return before }
        guard standing.state.isOpen else { throw SuggestionFault.over(id) }
        try store.keep(
            KeptSuggestion(
                athlete: athlete, id: id, said: answer.said.rawValue, at: now,
                until: answer.until, why: answer.why, by: by, body: standing.body))
        return try suggestions(to: athlete, in: store, at: now, machine: machine)
    }

    /// Notes that what was accepted is on a monitor. It is not put there a second time.
    func noteSet(
        _ id: String, to athlete: String, in store: any LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        guard var kept = try store.suggestions(of: athlete).first(where: { $0.id == id }),
            kept.said == AthleteSuggestions.State.accepted.rawValue
        else { return }
        kept.setAt = now
        try store.keep(kept)
    }
}

/// What somebody says of a suggestion.
package enum SuggestionAnswer: Equatable, Sendable {
    case accept
    case dismiss(why: String)
    /// Unix milliseconds: it is not offered before.
    case snooze(until: Int64)

    /// Characters of a reason, at most.
    package static let longestWhy = 200
    /// Days that something can be put off for, at most.
    package static let longestSnoozeDays: Int64 = 90

    /// In the interface's words.
    package enum Verb: String, CaseIterable, Sendable { case accept, dismiss, snooze }

    /// Reads `{"say": "dismiss", "why": "..."}`.
    ///
    /// - Parameter now: Unix milliseconds.
    package init(_ body: [UInt8], at now: Int64) throws(CommandFault) {
        var fields = CommandFields(try CommandFields.object(body))
        try self.init(&fields, at: now)
        try fields.finish()
    }

    /// Reads `say`, `why` and `until_ms` among other fields, which the caller reads and finishes.
    init(_ fields: inout CommandFields, at now: Int64) throws(CommandFault) {
        guard let word = try fields.text("say") else { throw fields.missing("say") }
        guard let verb = Verb(rawValue: word) else {
            let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.wrong("say", "must be one of \(verbs)")
        }
        switch verb {
        case .accept: self = .accept
        case .dismiss: self = .dismiss(why: try Self.why(fields.text("why") ?? ""))
        case .snooze:
            // Far beyond any calendar; what a day may be is looked at below.
            let until = try fields.integer("until_ms", in: 0...(1 << 52))
            guard let until else { throw fields.missing("until_ms") }
            self = .snooze(until: try Self.until(Int64(until), at: now))
        }
    }

    /// A reason of one line that says something.
    package static func why(_ text: String) throws(CommandFault) -> String {
        let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard (1...longestWhy).contains(text.unicodeScalars.count), isLine,
            text.contains(where: { $0 != " " })
        else {
            throw CommandFault(
                .badValue, "why must say in one line of 1 to \(longestWhy) characters why not")
        }
        return text
    }

    /// A moment to come.
    package static func until(_ until: Int64, at now: Int64) throws(CommandFault) -> Int64 {
        guard until > now, until <= now + longestSnoozeDays * 86_400_000 else {
            throw CommandFault(
                .badValue,
                "until_ms must be a moment within the next \(longestSnoozeDays) days, in Unix "
                    + "milliseconds")
        }
        return until
    }

    /// Whether somebody has said just this, and it stands.
    fileprivate func holds(of standing: AthleteSuggestions.Standing) -> Bool {
        standing.state == said && standing.word?.why == why
            && standing.word?.until == until
    }

    fileprivate var said: AthleteSuggestions.State {
        switch self {
        case .accept: .accepted
        case .dismiss: .dismissed
        case .snooze: .snoozed
        }
    }

    fileprivate var why: String? { if case .dismiss(let why) = self { why } else { nil } }

    fileprivate var until: Int64? { if case .snooze(let until) = self { until } else { nil } }
}

/// Why nothing can be said of a suggestion.
package enum SuggestionFault: Error, Equatable, CustomStringConvertible {
    case unknownAthlete(String)
    case unknown(String)
    case over(String)

    /// For programs.
    package var code: String {
        switch self {
        case .unknownAthlete: CommandCode.unknownAthlete.rawValue
        case .unknown: "unknown_suggestion"
        case .over: "suggestion_over"
        }
    }

    package var description: String {
        switch self {
        case .unknownAthlete(let slug):
            "no session names an athlete \(slug.prefix(40)); rowgate-logbook athletes lists those "
                + "there are"
        case .unknown(let id):
            "there is no suggestion \"\(id.prefix(80))\" now: what it rested on may have changed; "
                + "look at the list again"
        case .over(let id): "the suggestion \"\(id.prefix(80))\" is over; look at the list again"
        }
    }
}

extension SuggestionWord {
    /// nil of bytes that a disk has spoiled, and of rules that a later program had.
    fileprivate init?(_ kept: KeptSuggestion) {
        guard let said = AthleteSuggestions.State(rawValue: kept.said) else { return nil }
        self.init(
            kept.body, said, at: kept.at, until: kept.until, why: kept.why, by: kept.by,
            setAt: kept.setAt)
    }
}
