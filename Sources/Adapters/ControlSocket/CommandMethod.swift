extension RowgateInterface {
    /// A command with the fields of a `cmd` topic. Gives one reply for each target erg.
    package enum Command: ControlMethod {
        /// `org.rowgate.Control.Command`.
        package static let name = RowgateInterface.name + ".Command"

        package struct Parameters: Codable, Equatable, Sendable {
            /// `ping`, `workout`, ...
            package var verb: String
            /// Slug of the target erg, or `all`; nil for the gateway.
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

        /// The results, one per erg.
        package struct Reply: JSONReply, Equatable, Sendable {
            /// Objects with the fields of `rsp` in rowgate-topics(7).
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

        package struct Parameters: Codable, Equatable, Sendable {
            /// The athlete's opaque slug.
            package var athlete: String
            package init(athlete: String) { self.athlete = athlete }
        }

        /// The number of erased records, and places that may still hold data.
        package struct Reply: JSONReply, Equatable, Sendable {
            /// Erased records, including raw values of the athlete's sessions.
            package var erased: Int
            /// Places that may still hold data of the athlete, each a sentence for the user.
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
    /// Answers `Command`. `perform` gets the fields as a JSON object and returns complete replies.
    package mutating func onCommand(
        _ perform:
            @escaping @Sendable (_ verb: String, _ erg: String?, _ payload: [UInt8]) async
            -> [[UInt8]]
    ) {
        on(RowgateInterface.Command.self) { parameters in
            let payload = try JSONCoding.encode(parameters.arguments ?? [:])
            let replies = await perform(parameters.verb, parameters.erg, payload)
            return RowgateInterface.Command.Reply(
                replies: try replies.map { try JSONCoding.decode(ForeignValue.self, $0) })
        }
    }
}
