extension RowgateInterface {
    /// A command, as it could be sent to a `cmd` topic: one reply for each erg that it is for.
    package enum Command: ControlMethod {
        /// `org.rowgate.Control.Command`.
        package static let name = RowgateInterface.name + ".Command"

        /// Which command, for whom.
        package struct Parameters: Codable, Equatable, Sendable {
            /// `ping`, `workout`, ...
            package var verb: String
            /// A slug, or `all`; nil for the gateway.
            package var erg: String?
            /// The fields of the command; `request_id` may be among them.
            package var arguments: [String: ForeignValue]?

            package init(
                verb: String, erg: String? = nil, arguments: [String: ForeignValue] = [:]
            ) {
                self.verb = verb
                self.erg = erg
                self.arguments = arguments
            }
        }

        /// What became of it, erg by erg.
        package struct Reply: JSONReply, Equatable, Sendable {
            /// Each with the fields of `rsp` in rowgate-topics(7).
            package var replies: [ForeignValue]

            package init(replies: [ForeignValue]) { self.replies = replies }
        }
    }
}

extension RowgateInterface {
    /// Erases an athlete's records from the ring log.
    package enum ForgetAthlete: ControlMethod {
        /// `org.rowgate.Control.ForgetAthlete`.
        package static let name = RowgateInterface.name + ".ForgetAthlete"

        /// Whose records.
        package struct Parameters: Codable, Equatable, Sendable {
            /// The opaque slug.
            package var athlete: String
            package init(athlete: String) { self.athlete = athlete }
        }

        /// What was done, and what could not be.
        package struct Reply: JSONReply, Equatable, Sendable {
            /// Records that were erased, the raw values of the athlete's sessions among them.
            package var erased: Int
            /// What may still hold something of theirs, each a sentence for a person.
            package var beyondReach: [String]

            package init(erased: Int, beyondReach: [String]) {
                self.erased = erased
                self.beyondReach = beyondReach
            }

            enum CodingKeys: String, CodingKey {
                case erased
                case beyondReach = "beyond_reach"
            }
        }
    }
}

extension ControlRoutes {
    /// Answers `Command`; `carryOut` gets the fields as a JSON object and gives whole replies.
    package mutating func onCommand(
        _ carryOut:
            @escaping @Sendable (_ verb: String, _ erg: String?, _ payload: [UInt8]) async
            -> [[UInt8]]
    ) {
        on(RowgateInterface.Command.self) { parameters in
            let payload = try JSONCoding.encode(parameters.arguments ?? [:])
            let replies = await carryOut(parameters.verb, parameters.erg, payload)
            return RowgateInterface.Command.Reply(
                replies: try replies.map { try JSONCoding.decode(ForeignValue.self, $0) })
        }
    }
}
