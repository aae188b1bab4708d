import Bytes
import Contract
import LogbookStores
import Suggestions
import WebServer

/// What is suggested to athletes, and what people say of it.
extension RecordAnswers {
    func suggestions(to slug: String, in store: any LogbookStore) throws -> WebAnswer {
        try Self.told {
            try desk.suggestions(to: slug, in: store, at: present, machine: room.machine(at:_:))
        }
    }

    /// Takes what somebody says of a suggestion, and tells how things stand then.
    ///
    /// - Parameters:
    ///   - names: the athlete's slug, and the suggestion's id.
    ///   - guest: who says it.
    func take(
        _ body: [UInt8], of names: [String], by guest: Access.Guest
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let (slug, id) = (try Self.athlete(names[0], Sight(guest)), names[1])
        let sender = guest.name ?? ""
        let answer: SuggestionAnswer
        do throws(CommandFault) { answer = try SuggestionAnswer(body, at: present) } catch {
            throw InterfaceFault(400, error.code.rawValue, error.message)
        }
        return writer.answer { store in
            let answered = try Self.told {
                try desk.take(
                    answer, of: id, to: slug, by: sender, in: store, at: present,
                    machine: room.machine(at:_:))
            }
            if answer == .accept { seats?.accepted(by: slug) }
            self.answered(slug)
            return answered
        }
    }

    private static func told(_ ask: () throws -> AthleteSuggestions) throws -> WebAnswer {
        do {
            let suggestions = try ask()
            return json { suggestions.write(into: &$0) }
        } catch let fault as SuggestionFault {
            switch fault {
            case .unknownAthlete(let slug): throw unknownAthlete(slug)
            case .unknown: throw InterfaceFault(404, fault.code, "\(fault)")
            case .over: throw InterfaceFault(409, fault.code, "\(fault)")
            }
        }
    }

    /// Unix milliseconds.
    private var present: Int64 {
        let (now, clock) = room.present
        return clock.unixMilliseconds(at: now)
    }
}
