import Synchronization

/// A method of the control socket: its wire name, parameters and reply.
package protocol ControlMethod: Sendable {
    associatedtype Parameters: Codable & Sendable
    associatedtype Reply: Codable & Sendable
    /// Interface and method, `org.rowgate.Control.Status`.
    static var name: String { get }
}

/// `org.rowgate.Control`: the methods of rowgate itself.
package enum RowgateInterface {
    /// The Varlink interface of the methods below.
    package static let name = "org.rowgate.Control"
    /// Default path of the socket.
    package static let defaultSocket = "/run/rowgate/control.sock"

    /// The current state of the gateway.
    package enum Status: ControlMethod {
        /// `org.rowgate.Control.Status`.
        package static let name = RowgateInterface.name + ".Status"
        package typealias Reply = StatusReply

        package struct Parameters: Codable, Equatable, Sendable {
            /// Slug of the only erg to include; nil for all.
            package var erg: String?
            package init(erg: String? = nil) { self.erg = erg }
        }
    }

    /// The state of the gateway at an interval, until the client closes. Needs `more`.
    package enum Watch: ControlMethod {
        /// `org.rowgate.Control.Watch`.
        package static let name = RowgateInterface.name + ".Watch"
        package typealias Reply = StatusReply

        package struct Parameters: Codable, Equatable, Sendable {
            /// Time between two replies, clamped to 100 to 60000; 500 if nil.
            package var intervalMilliseconds: Int?

            package init(intervalMilliseconds: Int? = nil) {
                self.intervalMilliseconds = intervalMilliseconds
            }

            enum CodingKeys: String, CodingKey { case intervalMilliseconds = "interval_ms" }
        }
    }

    /// Every PM5 in range.
    package enum Scan: ControlMethod {
        /// `org.rowgate.Control.Scan`.
        package static let name = RowgateInterface.name + ".Scan"
        package typealias Reply = ScanReply

        /// No parameters.
        package struct Parameters: Codable, Equatable, Sendable {
            package init() {}
        }
    }
}

/// A request in progress. Produces encoded replies until the last one.
struct ControlCall: Sendable {
    enum Step: Sendable {
        case more([UInt8])
        case last([UInt8])
        /// The client wants no reply.
        case noReply
        /// The request was malformed: sends the error and closes the connection.
        case hangUp(ControlFailure)
    }

    private let produce: @Sendable () async throws -> Step

    init(_ produce: @escaping @Sendable () async throws -> Step) { self.produce = produce }

    static func hangUp(_ failure: ControlFailure) -> ControlCall {
        ControlCall { .hangUp(failure) }
    }

    /// The same work; replies are discarded.
    var withoutReply: ControlCall {
        ControlCall { [produce] in
            _ = try? await produce()
            return .noReply
        }
    }

    /// Returns the next reply. An error of the handler becomes an error reply.
    func next() async -> Step {
        do {
            return try await produce()
        } catch {
            let failure =
                error as? ControlFailure
                ?? ControlFailure(rowgate: "Failed", message: "\(error)")
            let message = try? VarlinkMessage.reply(failure: failure)
            return message.map(Step.last) ?? .noReply
        }
    }
}

/// A flag that several threads may set.
final class OnceFlag: Sendable {
    private let isSet = Atomic(false)
    /// Sets the flag. Returns true on the first call only.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}

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
