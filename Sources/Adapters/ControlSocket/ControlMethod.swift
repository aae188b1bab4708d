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
