import Bytes
import Contract
import LogbookStores
import Suggestions
import WebServer

/// Suggestions for athletes and the answers to them.
extension RecordRequestHandler {
    func suggestions(to slug: String, in store: any LogbookStore) throws -> WebAnswer {
        try Self.suggestionsAnswer {
            try suggestionService.suggestions(
                to: slug, in: store, at: nowMilliseconds, machine: room.machine(at:_:))
        }
    }

    /// Stores the answer to a suggestion. Returns the suggestions after that.
    ///
    /// - Parameters:
    ///   - pathValues: the athlete's id and the suggestion's id.
    ///   - identity: the sender of the answer.
    func answerSuggestion(
        _ body: [UInt8], of pathValues: [String], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let (slug, id) = (
            try Self.athlete(pathValues[0], RecordAccessPolicy(identity)), pathValues[1]
        )
        let sender = identity.name ?? ""
        let answer: SuggestionAnswer
        do throws(CommandFault) { answer = try SuggestionAnswer(body, at: nowMilliseconds) } catch {
            throw InterfaceFault(error)
        }
        return writer.answer { store in
            let response = try Self.suggestionsAnswer {
                try suggestionService.apply(
                    answer, to: id, of: slug, by: sender, in: store, at: nowMilliseconds,
                    machine: room.machine(at:_:))
            }
            if answer == .accept { workoutSender?.suggestionAccepted(by: slug) }
            onAthleteChanged(slug)
            return response
        }
    }

    private static func suggestionsAnswer(_ suggestions: () throws -> AthleteSuggestions) throws
        -> WebAnswer
    {
        do {
            let list = try suggestions()
            return json { list.write(into: &$0) }
        } catch let fault as SuggestionFault {
            switch fault {
            case .unknownAthlete(let slug): throw unknownAthlete(slug)
            case .unknown: throw InterfaceFault(404, fault.code, "\(fault)")
            case .notOpen: throw InterfaceFault(409, fault.code, "\(fault)")
            }
        }
    }

    /// Unix milliseconds.
    private var nowMilliseconds: Int64 {
        let (now, clock) = room.currentTime
        return clock.unixMilliseconds(at: now)
    }
}
