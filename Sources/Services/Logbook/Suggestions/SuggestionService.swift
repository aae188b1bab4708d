import Bests
import Bytes
import Contract
import LogbookStores
import Suggestions
import Timeline
import Training

/// Lists the suggestions for athletes and stores the answers to them.
///
/// Has no state: the open suggestions are computed from the sessions on each call, and the answers are in the
/// store. Call it on the queue of the store.
package struct SuggestionService: Sendable {
    package typealias MachineLookup = (GatewayID, StationID) -> MachineKind?

    private let history: AthleteHistory

    package init(history: AthleteHistory) { self.history = history }

    /// Returns the suggestions for an athlete. Throws `SuggestionFault.unknownAthlete` if no session has this
    /// athlete.
    ///
    /// - Parameters:
    ///   - machine: returns the machine at an erg; nil if unknown, which counts as a RowErg.
    ///   - now: Unix milliseconds.
    package func suggestions(
        to athlete: String, in store: any LogbookStore, at now: Int64,
        machine: MachineLookup = { _, _ in nil }
    ) throws -> AthleteSuggestions {
        let (sessions, pieces) = try history.pieces(of: athlete, in: store, machine: machine)
        if sessions.isEmpty { throw SuggestionFault.unknownAthlete(athlete) }
        return try Self.suggestions(
            to: athlete, pieces, in: store, at: now, calendar: history.calendar)
    }

    /// Returns the suggestions for an athlete whose sessions were read before.
    static func suggestions(
        to athlete: String, _ pieces: [PieceTraining], in store: any LogbookStore, at now: Int64,
        calendar: ClubCalendar
    ) throws(StoreFailure) -> AthleteSuggestions {
        let answers = try store.suggestions(of: athlete).compactMap(SuggestionResponse.init)
        return AthleteSuggestions(pieces, answers, now: now, in: calendar)
    }

    /// Stores the answer to an open suggestion. Returns the suggestions after that.
    ///
    /// - Parameter by: the name of the token, or another name for the sender.
    package func apply(
        _ answer: SuggestionAnswer, to id: String, of athlete: String, by: String,
        in store: any LogbookStore, at now: Int64, machine: MachineLookup = { _, _ in nil }
    ) throws -> AthleteSuggestions {
        let athlete = try store.merges.current(of: athlete)
        let before = try suggestions(to: athlete, in: store, at: now, machine: machine)
        guard let suggestion = before.suggestion(id) else { throw SuggestionFault.unknown(id) }
        // A repeated request must not clear the time at which the workout was sent to a monitor.
        if answer.isAlreadyApplied(to: suggestion) { return before }
        guard suggestion.state.isOpen else { throw SuggestionFault.notOpen(id) }
        try store.save(
            StoredSuggestionResponse(
                athlete: athlete, id: id, answer: answer.state.rawValue, at: now,
                until: answer.until, why: answer.why, by: by, body: suggestion.body))
        return try suggestions(to: athlete, in: store, at: now, machine: machine)
    }

    /// Stores the time at which an accepted workout was set on a monitor. It is not sent again.
    func markSent(
        _ id: String, of athlete: String, in store: any LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        guard var response = try store.suggestions(of: athlete).first(where: { $0.id == id }),
            response.answer == AthleteSuggestions.State.accepted.rawValue
        else { return }
        response.setAt = now
        try store.save(response)
    }
}

/// An answer to a suggestion.
package enum SuggestionAnswer: Equatable, Sendable {
    case accept
    case dismiss(why: String)
    /// Hides the suggestion until a time in Unix milliseconds.
    case snooze(until: Int64)

    /// The largest number of characters in a reason.
    package static let maximumReasonLength = 200
    /// The longest snooze, in days.
    package static let maximumSnoozeDays: Int64 = 90

    /// The wire values of `say`.
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
        case .dismiss: self = .dismiss(why: try Self.validatedReason(fields.text("why") ?? ""))
        case .snooze:
            // A wide range; `validatedTime` checks the real limits.
            let until = try fields.integer("until_ms", in: 0...(1 << 52))
            guard let until else { throw fields.missing("until_ms") }
            self = .snooze(until: try Self.validatedTime(Int64(until), at: now))
        }
    }

    /// Returns the reason if it is one line and not blank.
    package static func validatedReason(_ text: String) throws(CommandFault) -> String {
        let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard (1...maximumReasonLength).contains(text.unicodeScalars.count), isLine,
            text.contains(where: { $0 != " " })
        else {
            throw CommandFault(
                .badValue, "why must be one line of 1 to \(maximumReasonLength) characters")
        }
        return text
    }

    /// Returns the time if it is in the future and within the longest snooze. Both are in Unix milliseconds.
    package static func validatedTime(_ until: Int64, at now: Int64) throws(CommandFault) -> Int64 {
        guard until > now, until <= now + maximumSnoozeDays * 86_400_000 else {
            throw CommandFault(
                .badValue,
                "until_ms must be a time within the next \(maximumSnoozeDays) days, in Unix "
                    + "milliseconds")
        }
        return until
    }

    /// Whether the suggestion already has exactly this answer.
    fileprivate func isAlreadyApplied(to suggestion: AthleteSuggestions.Tracked) -> Bool {
        suggestion.state == state && suggestion.response?.why == why
            && suggestion.response?.until == until
    }

    fileprivate var state: AthleteSuggestions.State {
        switch self {
        case .accept: .accepted
        case .dismiss: .dismissed
        case .snooze: .snoozed
        }
    }

    fileprivate var why: String? { if case .dismiss(let why) = self { why } else { nil } }

    fileprivate var until: Int64? { if case .snooze(let until) = self { until } else { nil } }
}

/// The reason why a suggestion cannot be answered.
package enum SuggestionFault: Error, Equatable, CustomStringConvertible {
    case unknownAthlete(String)
    case unknown(String)
    case notOpen(String)

    /// The code for programs.
    package var code: String {
        switch self {
        case .unknownAthlete: CommandCode.unknownAthlete.rawValue
        case .unknown: "unknown_suggestion"
        case .notOpen: "suggestion_over"
        }
    }

    package var description: String {
        switch self {
        case .unknownAthlete(let slug):
            "no session has the athlete \(slug.prefix(40)); rowgate-logbook athletes lists all athletes"
        case .unknown(let id):
            "unknown suggestion \"\(id.prefix(80))\"; its sessions may have changed, so reload the list"
        case .notOpen(let id): "the suggestion \"\(id.prefix(80))\" is closed; reload the list"
        }
    }
}

extension SuggestionResponse {
    /// Returns nil for damaged bytes and for rules of a later version.
    fileprivate init?(_ stored: StoredSuggestionResponse) {
        guard let state = AthleteSuggestions.State(rawValue: stored.answer) else { return nil }
        self.init(
            stored.body, state, at: stored.at, until: stored.until, why: stored.why, by: stored.by,
            setAt: stored.setAt)
    }
}
