import Testing
import WebServer

@testable import Logbook

@Suite struct FailurePageTests {
    private func html(
        _ status: UInt32, _ code: String, path: String = "/nothing",
        query: [WebParameter] = [], languages: String = "", cookies: String? = nil
    ) -> String {
        let request = WebRequest(path: path, query: query, languages: languages, cookies: cookies)
        return String(
            decoding: FailurePage.html(
                of: WebFailure(status: status, code: code, message: "in English", request: request)),
            as: UTF8.self)
    }

    @Test(
        arguments: [
            ("", nil, false), ("de", nil, true), ("de-AT,de;q=0.9,en;q=0.8", nil, true),
            ("en-GB,de;q=0.9", nil, false), ("fr, de;q=0.9", nil, true), ("fr", nil, false),
            ("en", "de", true), ("de", "en", false), ("de", "fr", true),
        ] as [(String, String?, Bool)])
    func usesTheLanguageOfTheBrowser(languages: String, requested: String?, isGerman: Bool) {
        let query = requested.map { [WebParameter(name: "lang", value: $0)] } ?? []
        let page = html(404, "not_found", query: query, languages: languages)
        #expect(page.contains(isGerman ? "<html lang=\"de\">" : "<html lang=\"en\">"))
        #expect(page.contains(isGerman ? "Seite nicht gefunden" : "Page not found"))
        #expect(page.contains(isGerman ? ">Tafel</a>" : ">Wall</a>"))
    }

    @Test func usesTheSettingsOfTheBrowser() {
        let page = html(
            404, "not_found", languages: "en", cookies: "rowgate-language=de; rowgate-theme=light")
        #expect(page.contains("Seite nicht gefunden") && page.contains("media=\"all\""))
        #expect(html(404, "not_found").contains("media=\"(prefers-color-scheme: light), print\""))
        let dark = [WebParameter(name: "theme", value: "dark")]
        #expect(
            html(404, "not_found", query: dark, cookies: "rowgate-theme=light").contains("media=\"print\""))
    }

    @Test func linksToTheWallAndForAccessErrorsToTheSignIn() {
        let query = [
            WebParameter(name: "gw", value: "a b"), WebParameter(name: "lang", value: "en"),
        ]
        for status in [401, 403] as [UInt32] {
            let page = html(status, "not_allowed", path: "/coach", query: query)
            #expect(page.contains("<a href=\"/wall?lang=en\">"))
            #expect(
                page.contains("<a href=\"/sign-in?next=/coach%3Fgw%3Da%2520b&amp;lang=en\">"))
        }
        for status in [400, 404, 405, 415, 421, 429, 500, 503] as [UInt32] {
            let page = html(status, "some_code")
            #expect(page.contains("<a href=\"/wall\">Wall</a>") && !page.contains("/sign-in"))
            #expect(page.contains("\(status) some_code"))
        }
    }

    @Test(arguments: ["en", "de"])
    func pageOfInvalidLinkLeadsNowhere(language: String) {
        for status in [404, 429, 503] as [UInt32] {
            let page = html(
                status, "invalid_link", path: "/shared/k7m2-9xqd-4t8w-hz3c-6vnp", languages: language)
            #expect(!page.contains("<a ") && !page.contains("k7m2"))
            #expect(
                page.contains(
                    language == "en"
                        ? "This link has expired or was revoked. Ask the coach for a new one."
                        : "Dieser Link ist abgelaufen oder wurde gesperrt."))
        }
    }

    @Test func doesNotMentionTheTokenForACrossOriginRequest() {
        #expect(html(403, "not_allowed").contains("Your token"))
        let page = html(403, "cross_origin")
        #expect(page.contains("another address") && !page.contains("Your token"))
    }

    @Test func escapesTheAddress() {
        let text = "\"><script>alert(1)</script>"
        let query = [WebParameter(name: "lang", value: text)]
        let page = html(403, text, path: "/" + text, query: query)
        #expect(!page.contains("<script") && !page.contains("\"><s"))
    }
}
