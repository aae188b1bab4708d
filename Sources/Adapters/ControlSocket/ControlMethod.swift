/// A method of the control socket: its name on the wire, what it takes and what it gives.
package protocol ControlMethod: Sendable {
    associatedtype Parameters: Codable & Sendable
    associatedtype Reply: Codable & Sendable
    /// Interface and method, `org.rowgate.Control.Status`.
    static var name: String { get }
}

/// `org.rowgate.Control`: the methods of rowgate itself.
package enum RowgateInterface {
    /// The varlink interface that the methods below belong to.
    package static let name = "org.rowgate.Control"
    /// Where the daemon listens unless the configuration says otherwise.
    package static let defaultSocket = "/run/rowgate/control.sock"

    /// The gateway at this moment.
    package enum Status: ControlMethod {
        /// `org.rowgate.Control.Status`.
        package static let name = RowgateInterface.name + ".Status"
        package typealias Reply = StatusReply

        /// Which part of the gateway is asked for.
        package struct Parameters: Codable, Equatable, Sendable {
            /// Only this erg; every one when nil.
            package var erg: String?
            package init(erg: String? = nil) { self.erg = erg }
        }
    }

    /// The gateway again and again, until the client hangs up. Needs `more`.
    package enum Watch: ControlMethod {
        /// `org.rowgate.Control.Watch`.
        package static let name = RowgateInterface.name + ".Watch"
        package typealias Reply = StatusReply

        /// How often it is to be told.
        package struct Parameters: Codable, Equatable, Sendable {
            /// Time between two replies, held inside 100 to 60000; 500 when nil.
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

        /// Takes none.
        package struct Parameters: Codable, Equatable, Sendable {
            package init() {}
        }
    }
}
