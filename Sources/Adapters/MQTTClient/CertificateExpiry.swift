import Bytes
import CCrypto
import Glibc
import Timeline

/// The end dates of a connection's certificates: the broker's and ours, without authorities.
package struct CertificateExpiry: Equatable, Sendable {
    /// How long before its end a certificate is reported; automatic renewal happens earlier.
    package static let noticeMilliseconds: Int64 = 14 * 86_400_000

    /// A problem with a certificate, and its remedy.
    package struct Warning: Equatable, Sendable {
        package var message: String
        package var remedy: String
    }

    /// Unix milliseconds; nil for an unencrypted connection.
    package var broker: Int64?
    /// Unix milliseconds; nil if we have no certificate.
    package var own: Int64?

    package init(broker: Int64? = nil, own: Int64? = nil) {
        (self.broker, self.own) = (broker, own)
    }

    /// Reads the dates of an established TLS session.
    init(of session: OpaquePointer) {
        let theirs = SSL_get1_peer_certificate(session)
        defer { X509_free(theirs) }
        self.init(broker: Self.end(of: theirs), own: Self.end(of: SSL_get_certificate(session)))
    }

    /// Returns the certificates that expire soon or have expired: the current connection continues,
    /// the next one fails.
    ///
    /// - Parameter now: Unix milliseconds of a synchronized clock.
    package func warnings(at now: Int64) -> [Warning] {
        [
            Self.warning(
                about: "the broker's certificate", broker, at: now,
                remedy: "renew it at the broker"),
            Self.warning(
                about: "our certificate for the broker", own, at: now,
                remedy: "renew broker.cert_file"),
        ].compactMap(\.self)
    }

    private static func warning(
        about name: String, _ end: Int64?, at now: Int64, remedy: String
    ) -> Warning? {
        guard let end, end - now < noticeMilliseconds else { return nil }
        let day = CivilTime(unixMilliseconds: end).date
        return Warning(
            message: "\(name) \(end < now ? "ended" : "ends") on \(day)", remedy: remedy)
    }

    /// Unix milliseconds; nil without a certificate, or for a date that OpenSSL cannot parse.
    private static func end(of certificate: OpaquePointer?) -> Int64? {
        guard let certificate else { return nil }
        var civil = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &civil) == 1 else { return nil }
        return Int64(timegm(&civil)) * 1000
    }
}

extension CertificateExpiry: ByteCodable {
    package static var blank: Self { Self() }

    package mutating func code(with coder: inout ByteCoder) {
        broker.code(with: &coder)
        own.code(with: &coder)
    }
}
